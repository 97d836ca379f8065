-- Answers how many groups there are, how many messages in all, ready, leased, parked and suspended,
-- how many dead letters, and now.
--@include base
--@include record
--@include now
--@include ready
--@include forget
--@include group
if now > lapse_at then
  --@include lapse
end
local ready_now, held, messages = 0, 0, 0
if not again then
  for _, priority in ipairs(call('ZRANGE', Q .. ':priorities', '0', '-1')) do
    ready_now = ready_now + call('ZCARD', Q .. ':c:' .. priority)
  end
  for _, group in ipairs(call('ZRANGE', Q .. ':suspended', '0', '-1')) do
    local g = load(group)
    if g then held = held + call('LLEN', g.key) - (g.state == FREE and 1 or 2) end
  end
  local counted = call('HMGET', Q, 'seq', 'left')
  messages = counted[1] - counted[2] - left
end
--@include finish
return { again and 1 or 0, claimable, died, call('ZCARD', Q .. ':active'), messages, ready_now,
  call('ZCARD', Q .. ':leased'), call('ZCARD', Q .. ':parked'), held, call('ZCARD', Q .. ':dead'),
  now }
