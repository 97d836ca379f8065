-- ARGV[2]  seq of a dead letter
-- Answers the new seq; 0: there is no such dead letter.
--@include base
--@include record
--@include now
--@include ready
--@include forget
--@include group
--@include append
--@include room
if now > lapse_at then
  --@include lapse
end
local seq, fits = 0, true
if not again then
  local key = Q .. ':d:' .. ARGV[2]
  local letter = call('HMGET', key, 'group', 'event', 'priority')
  local group = letter[1]
  if group then
    fits = fits_queue(1, 0) and fits_group(messages_of(group) + 1)
    if fits then
      call('DEL', key)
      call('ZREM', Q .. ':dead', ARGV[2])
      seq = call('HINCRBY', Q, 'seq', '1')
      append(group, letter[2], letter[3], seq)
    end
  end
end
--@include finish
if again then return { 1, claimable, died } end
if not fits then return { 3, claimable, died } end
return { 0, claimable, died, seq }
