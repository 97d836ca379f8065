-- ARGV[3..]  group, event and priority of each message
-- Answers the first seq; or which size is over which limit; or that there is no room.
--@include base
if max_event_bytes > 0 then
  for i = 4, #ARGV, 3 do
    if #ARGV[i] > max_event_bytes then return { 2, false, 0, #ARGV[i], max_event_bytes } end
  end
end
--@include now
--@include ready
local count, fits = (#ARGV - 2) / 3, true
-- Without limits a publish is never refused, and no group was drained by the clock alone.
if max_attempts > 0 or max_messages > 0 or max_group_messages > 0 then
  if now > lapse_at then
    --@include forget
    --@include group
    --@include lapse
  end
  --@include room
  fits = fits_queue(count, 0)
  if max_group_messages > 0 then
    local held = {}
    for i = 3, #ARGV, 3 do
      local group = ARGV[i]
      held[group] = (held[group] or messages_of(group)) + 1
      fits = fits and fits_group(held[group])
    end
  end
end
local seq = 0
if fits and not again then
  --@include append
  seq = call('HINCRBY', Q, 'seq', count) - count
  for i = 3, #ARGV, 3 do
    seq = seq + 1
    append(ARGV[i], ARGV[i + 1], ARGV[i + 2], seq)
  end
end
--@include finish
if again then return { 1, claimable, died } end
if not fits then return { 3, claimable, died } end
return { 0, claimable, died, seq - count + 1 }
