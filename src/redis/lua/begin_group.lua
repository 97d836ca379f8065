-- Makes a group active that holds no message.
local turn = in_line and call('HINCRBY', Q, 'line', '1') or 0
call('RPUSH', Q .. ':g:' .. group,
  to_bytes(RECORD, seq, now, 0, turn, 0, 0, FREE, NO_FENCE, #priority, priority), message)
call('ZADD', Q .. ':active', '0', group)
local place = to_bytes('>I8', seq)
if not suspended or not call('ZSCORE', Q .. ':suspended', group) then
  --@include stand_ready
end
