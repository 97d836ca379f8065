-- ARGV[3..8]  as claim_step says
-- ARGV[9..]   group and fence of each lease to ack
-- Answers as ack, then as claim.
--@include base
--@include now
--@include ready
if now > lapse_at then
  --@include forget
  --@include group
  --@include lapse
end
local reply = { 0, false, 0, '', now, false }
if not again then
  local from = 9
  --@include ack_step
  reply[4] = table.concat(settled)
  --@include claim_step
end
--@include finish
reply[1], reply[2], reply[3] = again and 1 or 0, claimable, died
return reply
