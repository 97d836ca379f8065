-- ARGV[2..]  group and fence of each lease
-- Answers a 1 (done) or 0 (stale) for each.
-- As text, those and the highest priority that became claimable, if any: nothing ran out.
--@include base
local brief = call('HMGET', Q, 'rules', 'suspended', 'only', 'told')
local stored = brief[1]
suspended, only, told = brief[2], brief[3], brief[4]
--@include rules
-- Without a limit of attempts a lease that ran out can still be acked.
if max_attempts > 0 then
  --@include record
  --@include now
  if now > lapse_at then
    --@include ready
    --@include forget
    --@include group
    --@include lapse
  end
end
local settled = ''
if not again then
  local from = 2
  --@include ack_step
end
--@include finish
if not again and died == 0 then return settled .. (claimable or '') end
return { again and 1 or 0, claimable, died, settled }
