-- ARGV[2]  group
-- ARGV[3]  how many at the most, not 0
-- Answers the attempts of the head, then the messages.
--@include base
--@include record
--@include now
if now > lapse_at then
  --@include ready
  --@include forget
  --@include group
  --@include lapse
end
local attempts, page = 0, {}
if not again then
  page = call('LRANGE', Q .. ':g:' .. ARGV[2], '0', ARGV[3])
  if page[1] then
    attempts = (select(6, from_bytes(RECORD, page[1])))
    table.remove(page, 1)
  end
end
--@include finish
return { again and 1 or 0, claimable, died, attempts, page }
