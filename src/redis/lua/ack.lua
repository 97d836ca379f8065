-- ARGV[3..]  group and fence of each lease
-- Answers a 1 (done) or 0 (stale) for each.
--@include base
--@include ready
-- Without a limit of attempts a lease that ran out can still be acked.
if max_attempts > 0 then
  --@include now
  if now > lapse_at then
    --@include forget
    --@include group
    --@include lapse
  end
end
local answer = ''
if not again then
  local from = 3
  --@include ack_step
  answer = table.concat(settled)
end
--@include finish
return { again and 1 or 0, claimable, died, answer }
