-- Puts a message at the end of its group, which becomes active if it was not.
local function append(group, event, priority, seq)
  local key = Q .. ':g:' .. group
  local message = to_bytes(MESSAGE, seq, now) .. event
  if call('RPUSHX', key, message) > 0 then return end
  local turn = in_line and call('HINCRBY', Q, 'line', 1) or 0
  call('RPUSH', key, to_bytes(RECORD, seq, now, 0, turn, 0, 0, FREE, NO_FENCE, #priority, priority),
    message)
  call('ZADD', Q .. ':active', 0, group)
  if not suspended or not call('ZSCORE', Q .. ':suspended', group) then
    ready(group, priority, turn, seq)
  end
end
