-- ARGV  as claim_step says
-- Answers now, the highest priority still claimable if it shall look, then the leases.
--@include base
--@include now
if now > lapse_at then
  --@include ready
  --@include forget
  --@include group
  --@include lapse
end
local reply = { 0, false, 0, '', now, false }
if not again then
  --@include claim_step
end
--@include finish
reply[1], reply[2], reply[3] = again and 1 or 0, claimable, died
return reply
