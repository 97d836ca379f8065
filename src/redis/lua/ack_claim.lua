-- ARGV[2]    as claim_step says
-- ARGV[3..]  group and fence of each lease to ack
-- Answers as ack, then as claim.
--@include base
--@include record
--@include now
if now > lapse_at then
  --@include ready
  --@include forget
  --@include group
  --@include lapse
end
local reply, answer = { 0, false, 0, '', now, false, nil, nil, nil }, ''
if not again then
  local from = 3
  --@include ack_step
  --@include claim_step
end
--@include finish
reply[1], reply[2], reply[3], reply[4] = again and 1 or 0, claimable, died, answer
return reply
