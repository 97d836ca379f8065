-- ARGV[2]  seq of a dead letter
-- Answers how many were dropped.
--@include base
--@include record
--@include now
if now > lapse_at then
  --@include ready
  --@include forget
  --@include group
  --@include lapse
end
local dropped = 0
if not again then
  dropped = call('ZREM', Q .. ':dead', ARGV[2])
  call('DEL', Q .. ':d:' .. ARGV[2])
end
--@include finish
return { again and 1 or 0, claimable, died, dropped }
