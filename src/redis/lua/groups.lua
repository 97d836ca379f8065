-- ARGV[2]  1: the suspended ones, 0: the active ones
-- ARGV[3]  where to begin, as ZRANGEBYLEX takes it
-- ARGV[4]  how many at the most
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
  local set = ARGV[2] == '1' and ':suspended' or ':active'
  page = call('ZRANGEBYLEX', Q .. set, ARGV[3], '+', 'LIMIT', '0', ARGV[4])
end
--@include finish
return { again and 1 or 0, claimable, died, page }
