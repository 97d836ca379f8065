-- What every script begins with.
--
-- KEYS[1]  the queue's record; its name begins the names of all other keys
-- ARGV[1]  who asks, eight bytes: told with every word, so that it can pass over its own; behind
--          them a test's instant in microseconds, if not the server's clock counts
--
-- Instants and durations are whole microseconds, seqs are whole numbers: below 2^53 a number of
-- Lua's is exact. `..` writes only 14 digits of a number, so none of them is ever joined to text.
--
-- What a call costs decides how it is written. A command is given text: Redis prints a number as a
-- fraction of 17 digits, which takes about as long as the command. A list in a reply costs a command
-- for every two of its values. A local function is made anew each time the script runs, with every
-- variable that it uses: the busiest verbs have none.
local call, to_bytes, from_bytes, format = redis.call, struct.pack, struct.unpack, string.format
local Q = KEYS[1]
local NEVER = 9007199254740991
local FREE, LEASED, PARKED = 0, 1, 2
local NO_FENCE = '\0\0\0\0\0\0\0\0'
local NO_RULES = '0 0 0 0 0 0'

-- A group is a list: its record, then its messages, the head first.
--   record   seq and instant of the head's publish, last claim, turn, expiry, attempts of the head,
--            state, fence, priority as text; what follows is the worker
--   message  seq, instant of its publish; what follows is the event
-- `turn` is the rotation's key: the last claim, or the place in line.
local RECORD, MESSAGE = '>I8I8I8I8I8I4Bc8Bc0', '>I8I8'
-- The record from byte 25 on, and its bytes 33 to 53 (expiry to fence) where the head is free.
local FROM_TURN_ON, NOT_IN_FLIGHT = '>I8I8I4Bc8Bc0', '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0'

-- What the queue's record says, once it was read (record.lua). `lapse_at` is at most the first
-- expiry of all that is in flight. `suspended` counts suspended groups, false: none. `only` is the
-- one priority in use, '' or false: none, or several. `told` is until when others want to be told,
-- false: nobody does.
local lapse_at, suspended, only, told
local in_line, suspends = false, false
local max_attempts, max_messages, max_group_messages, max_event_bytes = 0, 0, 0, 0

-- What the call changed, beyond its answer: the highest priority that became claimable (as text),
-- how many died and how many messages left, whether something ends soon; and whether more ran out
-- than one script shall take note of.
local claimable, died, left, short, again = false, 0, 0, false, false
