-- ARGV[2]  begin behind this seq
-- ARGV[3]  how many at the most
-- Answers seq, group, event, attempts, priority, worker and reason of each.
--@include base
--@include record
--@include now
if now > lapse_at then
  --@include ready
  --@include forget
  --@include group
  --@include lapse
end
local page = {}
if not again then
  for i, seq in ipairs(call('ZRANGEBYSCORE', Q .. ':dead', '(' .. ARGV[2], '+inf', 'LIMIT', '0',
    ARGV[3])) do
    local letter = call('HMGET', Q .. ':d:' .. seq, 'group', 'event', 'attempts', 'priority',
      'worker', 'reason')
    table.insert(letter, 1, seq)
    page[i] = letter
  end
end
--@include finish
return { again and 1 or 0, claimable, died, page }
