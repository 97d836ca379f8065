-- ARGV[2]  group
-- Answers whether it is suspended and how many messages it holds; if any, also its priority, last
-- claim, state, expiry, attempts of the head and worker.
--@include base
--@include record
--@include now
--@include ready
--@include forget
--@include group
if now > lapse_at then
  --@include lapse
end
local answer = { 0, false, 0, 0, 0 }
if not again then
  local g = load(ARGV[2])
  if is_suspended(ARGV[2]) then answer[4] = 1 end
  if g then
    answer = { 0, false, 0, answer[4], call('LLEN', g.key) - 1, tonumber(g.priority), g.last,
      g.state, g.expiry, g.attempts, g.worker }
  end
end
--@include finish
answer[1], answer[2], answer[3] = again and 1 or 0, claimable, died
return answer
