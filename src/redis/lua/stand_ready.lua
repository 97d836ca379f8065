-- Puts a free group that is not suspended where claims find it: by turn, then by its head's seq,
-- of which `place` are the eight bytes.
call('ZADD', Q .. ':c:' .. priority, format('%d', turn), place .. group)
--@include in_use
