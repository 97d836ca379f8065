-- ARGV[2]  visibility, how many, floor, whether to look what is left, the first fence; what follows
--          is the worker
-- Message, group and attempt of each lease are then in `leases`, if there are any.
local visibility, count, floor, looks, first_fence, rest = from_bytes('>I8I4i4Bc8', ARGV[2])
local worker = string.sub(ARGV[2], rest)

-- The members of those that are claimed, each followed by something.
local chosen
if not only or only == '' then
  --@include forget
  --@include choose
elseif (only == '0' and 0 or tonumber(only)) >= floor then
  chosen = call('ZPOPMIN', Q .. ':c:' .. only, count == 1 and '1' or format('%d', count))
  if not chosen[1] then
    --@include forget
    forget(only)
  end
else
  chosen = {}
end

if chosen[1] then
  local expiry = now + visibility
  if expiry > NEVER then expiry = NEVER end
  local ends, leased = format('%d', expiry), chosen[3] and {}
  local fence, turn, n = first_fence, now, 0
  for i = 1, #chosen, 2 do
    local group = string.sub(chosen[i], 9)
    local key = Q .. ':g:' .. group
    local first = call('LRANGE', key, '0', '1')
    local seq, published, _, _, _, attempts, _, _, priority = from_bytes(RECORD, first[1])
    attempts = attempts + 1
    if in_line then turn = call('HINCRBY', Q, 'line', '1') end
    if i > 1 then
      local high, low = from_bytes('>I4I4', first_fence)
      fence = to_bytes('>I4I4', high, (low + (i - 1) / 2) % 4294967296)
    end
    call('LSET', key, '0', to_bytes(RECORD, seq, published, now, turn, expiry, attempts, LEASED,
      fence, #priority, priority) .. worker)
    if leased then
      leased[i], leased[i + 1] = ends, group
      leases = leases or {}
      leases[n + 1], leases[n + 2], leases[n + 3] = first[2], group, attempts
      n = n + 3
    else
      call('ZADD', Q .. ':leased', ends, group)
      leases = { first[2], group, attempts }
    end
  end
  if leased then
    --@include call_with
    call_with('ZADD', Q .. ':leased', leased)
  end
  if expiry < lapse_at then call('HSET', Q, 'lapse_at', ends) end
  if visibility < 1000000 then short = true end
end
if looks == 1 then
  --@include forget
  --@include highest
  more = highest()
end
