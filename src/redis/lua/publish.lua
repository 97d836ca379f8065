-- ARGV[2..]  group, event and priority of each message
-- Answers the first seq; or which size is over which limit; or that there is no room.
-- The seq alone: nothing became claimable, and nothing ran out.
--@include base
local stored, knows = call('HGET', Q, 'rules'), false
if stored ~= NO_RULES then
  --@include record
  knows = true
end
if max_event_bytes > 0 then
  for i = 3, #ARGV, 3 do
    if #ARGV[i] > max_event_bytes then return { 2, false, 0, #ARGV[i], max_event_bytes } end
  end
end
--@include now
local count, fits = (#ARGV - 1) / 3, true
-- Without limits a publish is never refused, and no group was drained by the clock alone.
if max_attempts > 0 or max_messages > 0 or max_group_messages > 0 then
  if now > lapse_at then
    --@include ready
    --@include forget
    --@include group
    --@include lapse
  end
  --@include room
  fits = fits_queue(count, 0)
  if max_group_messages > 0 then
    local held = {}
    for i = 2, #ARGV, 3 do
      local group = ARGV[i]
      held[group] = (held[group] or messages_of(group)) + 1
      fits = fits and fits_group(held[group])
    end
  end
end
local first = 0
if fits and not again then
  local seq = call('HINCRBY', Q, 'seq', count == 1 and '1' or format('%d', count)) - count
  first = seq + 1
  for i = 2, #ARGV, 3 do
    local group = ARGV[i]
    seq = seq + 1
    local message = to_bytes(MESSAGE, seq, now) .. ARGV[i + 1]
    if call('RPUSHX', Q .. ':g:' .. group, message) == 0 then
      -- Where all groups are active already, no more has to be known.
      if not knows then
        local brief = call('HMGET', Q, 'suspended', 'only', 'told')
        suspended, only, told, knows = brief[1], brief[2], brief[3], true
      end
      local priority = ARGV[i + 2]
      --@include begin_group
    end
  end
end
if not knows then return first end
--@include finish
if again then return { 1, claimable, died } end
if not fits then return { 3, claimable, died } end
return { 0, claimable, died, first }
