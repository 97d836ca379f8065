-- Puts a free group that is not suspended where claims find it: by turn, then by the head's seq.
local function ready(group, priority, turn, seq)
  call('ZADD', Q .. ':c:' .. priority, turn, to_bytes('>I8', seq) .. group)
  if priority ~= only and call('ZADD', Q .. ':priorities', priority, priority) == 1 then
    only = call('ZCARD', Q .. ':priorities') == 1 and priority or ''
    call('HSET', Q, 'only', only)
  end
  if not claimable or tonumber(priority) > tonumber(claimable) then claimable = priority end
end
