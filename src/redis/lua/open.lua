-- Finds or makes the queue.
--
-- KEYS[1]     the queue's record
-- ARGV[1]     the version of this layout
-- ARGV[2]     the identity that a new queue gets
-- ARGV[3]     1: the named rules are laid over the stored ones, 0: others are refused
-- ARGV[4..9]  the rules by number, in the order in which they are stored; empty: not named
-- Answers 0, the identity, the version and now; or 4: the rules are others, or 5: the version is.
local call = redis.call
local Q = KEYS[1]
local time = call('TIME')
local now = time[1] * 1000000 + time[2]
local known = call('HMGET', Q, 'version', 'store', 'rules')
if not known[1] then
  if call('EXISTS', Q) == 1 then return redis.error_reply('FAIRLANE a key of another kind') end
  local rules = {}
  for i = 4, 9 do rules[#rules + 1] = ARGV[i] ~= '' and ARGV[i] or '0' end
  call('HSET', Q, 'rules', table.concat(rules, ' '), 'lapse_at', '9007199254740991', 'version',
    ARGV[1], 'store', ARGV[2], 'seq', 0, 'left', 0, 'line', 0)
  return { 0, ARGV[2], ARGV[1], now }
end
if known[1] ~= ARGV[1] then return { 5, known[2], known[1], now } end
local rules, differs = {}, false
for rule in string.gmatch(known[3], '%d+') do rules[#rules + 1] = rule end
local was_in_line = rules[1] == '1'
for i = 1, 6 do
  local named = ARGV[i + 3]
  if named ~= '' and named ~= rules[i] then rules[i], differs = named, true end
end
if not differs then return { 0, known[2], known[1], now } end
if ARGV[3] ~= '1' then return { 4, known[2], known[1], now } end
call('HSET', Q, 'rules', table.concat(rules, ' '))
local in_line = rules[1] == '1'
if in_line ~= was_in_line then
  -- Nobody stood in a line before: they line up as they would have been claimed.
  --@include relining
end
return { 0, known[2], known[1], now }
