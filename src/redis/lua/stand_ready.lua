-- Puts a free group that is not suspended where claims find it: by turn, then by the head's seq.
call('ZADD', Q .. ':c:' .. priority, format('%d', turn), to_bytes('>I8', seq) .. group)
--@include in_use
