-- ARGV[2..3]  group and fence
-- ARGV[4]     nack, extend, release or reject
-- ARGV[5]     the delay or visibility, or the reason
-- Answers 1: done, or 0: stale.
--@include base
--@include record
--@include now
--@include ready
--@include forget
--@include group
if max_attempts > 0 and now > lapse_at then
  --@include lapse
end
local done = 0
if not again then
  local g, verb = load(ARGV[2]), ARGV[4]
  if g and g.fence == ARGV[3] then
    done = 1
    if verb == 'reject' then
      bury(g, ARGV[5])
    elseif verb == 'nack' and is_exhausted(g) then
      fail_exhausted(g)
    else
      withdraw(g)
      if verb == 'extend' then
        set_in_flight(g, LEASED, tonumber(ARGV[5]))
      else
        g.fence = NO_FENCE
        if verb == 'release' then
          g.attempts = g.attempts - 1
          set_free(g)
        elseif tonumber(ARGV[5]) > 0 then
          set_in_flight(g, PARKED, tonumber(ARGV[5]))
        else
          set_free(g)
        end
      end
    end
  end
end
--@include finish
return { again and 1 or 0, claimable, died, done }
