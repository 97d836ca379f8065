-- ARGV[2]  group
-- ARGV[3]  1: suspend, 0: resume
--@include base
--@include record
--@include now
--@include ready
--@include forget
--@include group
if now > lapse_at then
  --@include lapse
end
if not again then
  local group = ARGV[2]
  local g = load(group)
  if ARGV[3] == '1' then
    if g and g.state == FREE then withdraw(g) end
    suspend(group)
  elseif call('ZREM', Q .. ':suspended', group) == 1 then
    suspended = call('HINCRBY', Q, 'suspended', '-1')
    if suspended == 0 then
      suspended = false
      call('HDEL', Q, 'suspended')
    end
    if g and g.state == FREE then ready(group, g.priority, g.turn, g.seq) end
  end
end
--@include finish
return { again and 1 or 0, claimable, died }
