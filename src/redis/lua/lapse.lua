-- Takes note of what ran out, a hundred groups at the most; what is left is for the next call.
local budget, before = 100, format('(%d', now)
local function ran_out(set)
  local groups = call('ZRANGEBYSCORE', Q .. set, '-inf', before, 'LIMIT', '0', format('%d', budget))
  budget = budget - #groups
  return groups
end
for _, group in ipairs(ran_out(':leased')) do
  local g = load(group)
  if is_exhausted(g) then
    fail_exhausted(g)
  else
    withdraw(g)
    set_free(g)
  end
end
for _, group in ipairs(ran_out(':parked')) do
  local g = load(group)
  withdraw(g)
  set_free(g)
end
lapse_at = NEVER
for _, set in ipairs({ ':leased', ':parked' }) do
  local first = call('ZRANGE', Q .. set, '0', '0', 'WITHSCORES')
  if first[2] then lapse_at = math.min(lapse_at, tonumber(first[2])) end
end
call('HDEL', Q, 'lapse_at')  -- A first write that needs no memory.
call('HSET', Q, 'lapse_at', format('%d', lapse_at))
again = lapse_at < now
