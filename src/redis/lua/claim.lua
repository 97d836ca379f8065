-- ARGV[2]  as claim_step says
-- Answers now, the highest priority still claimable if it shall look, then the leases.
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
local reply = { 0, false, 0, '', now, false, nil, nil, nil }
if not again then
  --@include claim_step
end
--@include finish
reply[1], reply[2], reply[3] = again and 1 or 0, claimable, died
return reply
