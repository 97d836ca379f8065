-- ARGV[2]  group
-- Answers how many messages were dropped.
--@include base
--@include record
--@include now
--@include ready
--@include forget
--@include group
if now > lapse_at then
  --@include lapse
end
local dropped = 0
if not again then
  local g = load(ARGV[2])
  if g then
    dropped = call('LLEN', g.key) - 1
    left = left + dropped
    withdraw(g)
    call('UNLINK', g.key)
    call('ZREM', Q .. ':active', g.id)
  end
end
--@include finish
return { again and 1 or 0, claimable, died, dropped }
