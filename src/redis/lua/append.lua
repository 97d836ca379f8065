-- Puts a message at the end of its group, which becomes active if it was not.
local function append(group, event, priority, seq)
  local message = to_bytes(MESSAGE, seq, now) .. event
  if call('RPUSHX', Q .. ':g:' .. group, message) == 0 then
    --@include begin_group
  end
end
