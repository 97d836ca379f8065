-- ARGV[2]    as claim_step says
-- ARGV[3..]  group and fence of each lease to ack
-- Answers as ack, and as claim.
--@include base
--@include record
--@include now
if now > lapse_at then
  --@include ready
  --@include forget
  --@include group
  --@include lapse
end
local settled, more, leases = '', false, false
if not again then
  local from = 3
  --@include ack_step
  --@include claim_step
end
--@include finish
--@include claimed
