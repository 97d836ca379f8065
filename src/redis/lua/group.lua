-- A group's record as a table, and what is done to it: for all but the busiest verbs.
local function load(group)
  local key = Q .. ':g:' .. group
  local record = call('LINDEX', key, '0')
  if not record then return nil end
  local g, rest = { id = group, key = key }, 0
  g.seq, g.published, g.last, g.turn, g.expiry, g.attempts, g.state, g.fence, g.priority, rest =
    from_bytes(RECORD, record)
  g.worker = string.sub(record, rest)
  return g
end

local function bytes_of(g)
  return to_bytes(RECORD, g.seq, g.published, g.last, g.turn, g.expiry, g.attempts, g.state,
    g.fence, #g.priority, g.priority) .. g.worker
end

local function save(g) call('LSET', g.key, '0', bytes_of(g)) end

local function is_suspended(group)
  return suspended and call('ZSCORE', Q .. ':suspended', group)
end

-- Takes the group out of the set it stands in. The first write of whatever moves a group: it needs
-- no memory, so a server that has none left still lets messages go.
local function withdraw(g)
  if g.state == LEASED then
    call('ZREM', Q .. ':leased', g.id)
  elseif g.state == PARKED then
    call('ZREM', Q .. ':parked', g.id)
  else
    local class = Q .. ':c:' .. g.priority
    if call('ZREM', class, to_bytes('>I8', g.seq) .. g.id) == 1 and
      call('EXISTS', class) == 0 then
      forget(g.priority)
    end
  end
end

-- Puts a withdrawn group back as free.
local function set_free(g)
  g.state = FREE
  save(g)
  if not is_suspended(g.id) then ready(g.id, g.priority, g.turn, g.seq) end
end

local function set_in_flight(g, state, duration)
  g.state, g.expiry = state, math.min(now + duration, NEVER)
  save(g)
  call('ZADD', Q .. (state == LEASED and ':leased' or ':parked'), format('%d', g.expiry), g.id)
  if g.expiry < lapse_at then
    lapse_at = g.expiry
    call('HSET', Q, 'lapse_at', format('%d', lapse_at))
  end
  if duration < 1000000 then short = true end
end

-- Drops the head of a withdrawn group; the next one is free, or the group is gone.
local function remove_head(g)
  left = left + 1
  local next_message = call('LINDEX', g.key, '2')
  if not next_message then
    call('DEL', g.key)
    call('ZREM', Q .. ':active', g.id)
    return
  end
  g.seq, g.published = from_bytes(MESSAGE, next_message)
  g.attempts, g.fence, g.worker = 0, NO_FENCE, ''
  call('LSET', g.key, '1', NO_FENCE)
  call('LPOP', g.key)
  set_free(g)
end

-- Moves the head to the dead letters.
local function bury(g, reason)
  withdraw(g)
  local name = format('%d', g.seq)
  call('HSET', Q .. ':d:' .. name, 'group', g.id,
    'event', string.sub(call('LINDEX', g.key, '1'), 17), 'attempts', format('%d', g.attempts),
    'priority', g.priority, 'worker', g.worker, 'reason', reason)
  call('ZADD', Q .. ':dead', name, name)
  died = died + 1
  remove_head(g)
end

local function suspend(group)
  if call('ZADD', Q .. ':suspended', '0', group) == 1 then
    suspended = call('HINCRBY', Q, 'suspended', '1')
  end
end

-- What becomes of a head that was claimed too often.
local function fail_exhausted(g)
  if not suspends then return bury(g, '') end
  withdraw(g)
  suspend(g.id)
  g.fence = NO_FENCE
  set_free(g)
end

local function is_exhausted(g) return max_attempts > 0 and g.attempts >= max_attempts end
