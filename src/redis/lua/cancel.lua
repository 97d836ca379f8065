-- ARGV[2..3]  group and event
-- Answers how many messages were dropped, and the seq.
--@include base
--@include record
if max_event_bytes > 0 and #ARGV[3] > max_event_bytes then
  return { 2, false, 0, #ARGV[3], max_event_bytes }
end
--@include now
--@include ready
--@include forget
--@include group
--@include append
--@include room
if now > lapse_at then
  --@include lapse
end
local dropped, seq, fits = 0, 0, true
if not again then
  local group, event = ARGV[2], ARGV[3]
  local g = load(group)
  local kept = g and g.state == LEASED and 1 or 0
  dropped = messages_of(group) - kept
  fits = fits_queue(1, dropped) and fits_group(kept + 1)
  if fits then
    left = left + dropped
    if g and kept == 0 then withdraw(g) end
    seq = call('HINCRBY', Q, 'seq', '1')
    if not g then
      append(group, event, '0', seq)
    elseif kept == 1 then
      call('LTRIM', g.key, '0', '1')
      append(group, event, g.priority, seq)
    else
      g.seq, g.published, g.attempts, g.fence, g.worker = seq, now, 0, NO_FENCE, ''
      call('UNLINK', g.key)
      call('RPUSH', g.key, '', to_bytes(MESSAGE, seq, now) .. event)
      set_free(g)
    end
  end
end
--@include finish
if again then return { 1, claimable, died } end
if not fits then return { 3, claimable, died } end
return { 0, claimable, died, dropped, seq }
