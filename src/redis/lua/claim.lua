-- ARGV[2]  as claim_step says
-- Answers as claimed.lua says.
--@include base
local brief = call('HMGET', Q, 'rules', 'lapse_at', 'only')
local stored = brief[1]
lapse_at, only = tonumber(brief[2]), brief[3]
--@include rules
--@include now
if now > lapse_at then
  --@include record
  --@include ready
  --@include forget
  --@include group
  --@include lapse
end
local settled, more, leases = '', false, false
if not again then
  --@include claim_step
end
--@include finish
--@include claimed
