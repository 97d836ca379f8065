-- ARGV[3..8]  how many, visibility, floor, whether to look what is left, the first fence, worker
-- Adds message, group and attempt of each lease to `reply`.
local count, visibility, floor, worker = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), ARGV[8]
local expiry, taken = math.min(now + visibility, NEVER), 0

local function take(member)
  local group = string.sub(member, 9)
  local key = Q .. ':g:' .. group
  local first = call('LRANGE', key, 0, 1)
  local seq, published, _, turn, _, attempts, _, fence, priority = from_bytes(RECORD, first[1])
  turn, fence, attempts = now, ARGV[7], attempts + 1
  if in_line then turn = call('HINCRBY', Q, 'line', 1) end
  if taken > 0 then
    local high, low = from_bytes('>I4I4', fence)
    fence = to_bytes('>I4I4', high, (low + taken) % 4294967296)
  end
  call('LSET', key, 0, to_bytes(RECORD, seq, published, now, turn, expiry, attempts, LEASED, fence,
    #priority, priority) .. worker)
  call('ZADD', Q .. ':leased', expiry, group)
  taken = taken + 1
  local n = #reply
  reply[n + 1], reply[n + 2], reply[n + 3] = first[2], group, attempts
end

if only and only ~= '' then
  if tonumber(only) >= floor then
    local popped = call('ZPOPMIN', Q .. ':c:' .. only, ARGV[3])
    for i = 1, #popped, 2 do take(popped[i]) end
    if taken == 0 then
      --@include forget
      forget(only)
    end
  end
else
  --@include forget
  -- The first of each priority; among them the rotation alone decides.
  local heads = {}
  local function look_at(priority)
    local first = call('ZRANGE', Q .. ':c:' .. priority, 0, 0, 'WITHSCORES')
    local member = first[1]
    if not member then
      heads[priority] = nil
      return forget(priority)
    end
    heads[priority] = { member = member, turn = tonumber(first[2]), seq = from_bytes('>I8', member) }
  end
  for _, priority in ipairs(call('ZRANGEBYSCORE', Q .. ':priorities', floor, '+inf')) do
    look_at(priority)
  end
  while taken < count do
    local best, of
    for priority, head in pairs(heads) do
      if not best or head.turn < best.turn or (head.turn == best.turn and head.seq < best.seq) then
        best, of = head, priority
      end
    end
    if not best then break end
    call('ZREM', Q .. ':c:' .. of, best.member)
    take(best.member)
    look_at(of)
  end
end

if taken > 0 then
  if expiry < lapse_at then call('HSET', Q, 'lapse_at', expiry) end
  if visibility < 1000000 then short = true end
end
if ARGV[6] ~= '' then
  --@include forget
  --@include highest
  reply[6] = highest()
end
