-- ARGV[2..3]  for how long from now on to tell of what became claimable, and of room; 0: not
-- Answers now, the highest priority that is claimable, and the first expiry of what is in flight
-- (false: nothing is). Takes no note of what ran out: who claims does, and counts the dead.
--@include base
--@include record
--@include now
--@include forget
--@include highest
local time = call('TIME')
local wall = time[1] * 1000000 + time[2]
local for_claims, for_room = 0, 0
if told then for_claims, for_room = from_bytes('>I8I8', told) end
if ARGV[2] ~= '0' then for_claims = math.max(for_claims, wall + ARGV[2]) end
if ARGV[3] ~= '0' then for_room = math.max(for_room, wall + ARGV[3]) end
call('HDEL', Q, 'told')  -- A first write that needs no memory.
call('HSET', Q, 'told', to_bytes('>I8I8', for_claims, for_room))
local first = NEVER
for _, set in ipairs({ ':leased', ':parked' }) do
  local ends = call('ZRANGE', Q .. set, '0', '0', 'WITHSCORES')[2]
  if ends then first = math.min(first, tonumber(ends)) end
end
return { 0, false, 0, now, highest(), first ~= NEVER and first }
