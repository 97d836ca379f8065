-- What every script begins with.
--
-- KEYS[1]  the queue's record; its name begins the names of all other keys
-- ARGV[1]  who asks, eight bytes: told with every word, so that it can pass over its own
-- ARGV[2]  a test's instant in microseconds; empty: the server's clock
--
-- Instants and durations are whole microseconds, seqs are whole numbers: below 2^53 a number of
-- Lua's is exact. `..` writes only 14 digits of a number, so none of them is ever joined to text.
local call, to_bytes, from_bytes = redis.call, struct.pack, struct.unpack
local Q = KEYS[1]
local NEVER = 9007199254740991
local FREE, LEASED, PARKED = 0, 1, 2
local NO_FENCE = '\0\0\0\0\0\0\0\0'

-- A group is a list: its record, then its messages, the head first.
--   record   seq and instant of the head's publish, last claim, turn, expiry, attempts of the head,
--            state, fence, priority as text; what follows is the worker
--   message  seq, instant of its publish; what follows is the event
-- `turn` is the rotation's key: the last claim, or the place in line.
local RECORD, MESSAGE = '>I8I8I8I8I8I4Bc8Bc0', '>I8I8'

-- `lapse_at` is at most the first expiry of all that is in flight. `suspended` counts suspended
-- groups, false: none. `only` is the one priority in use, '' or false: none, or several. `told` is
-- until when others want to be told.
local meta = call('HMGET', Q, 'rules', 'lapse_at', 'suspended', 'only', 'told')
if not meta[1] then
  return redis.error_reply('FAIRLANE the record of the queue is gone')
end
local suspended, only = meta[3], meta[4]
local in_line, suspends = false, false
local max_attempts, max_messages, max_group_messages, max_event_bytes = 0, 0, 0, 0
if meta[1] ~= '0 0 0 0 0 0' then
  local rules = {}
  for rule in string.gmatch(meta[1], '%d+') do rules[#rules + 1] = tonumber(rule) end
  in_line, suspends = rules[1] == 1, rules[2] == 1
  max_attempts, max_messages = rules[3], rules[4]
  max_group_messages, max_event_bytes = rules[5], rules[6]
end

-- What the call changed, beyond its answer: the highest priority that became claimable (as text),
-- how many died and how many messages left, whether something ends soon; and whether more ran out
-- than one script shall take note of.
local claimable, died, left, short, again = false, 0, 0, false, false
