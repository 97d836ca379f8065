-- ARGV[2]  where to begin, as ZRANGEBYLEX takes it
-- Answers when the oldest of the next thousand groups' heads was published, and the last group, or
-- false if it was the last of all.
--@include base
--@include record
local page = call('ZRANGEBYLEX', Q .. ':active', ARGV[2], '+', 'LIMIT', '0', '1000')
local oldest = NEVER
for _, group in ipairs(page) do
  local record = call('LINDEX', Q .. ':g:' .. group, '0')
  local _, published = from_bytes(RECORD, record)
  oldest = math.min(oldest, published)
end
return { 0, false, 0, oldest, page[1000] or false }
