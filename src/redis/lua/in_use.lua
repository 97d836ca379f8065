-- Notes that a claimable group has this priority.
if priority ~= only and call('ZADD', Q .. ':priorities', priority, priority) == 1 then
  only = call('ZCARD', Q .. ':priorities') == 1 and priority or ''
  call('HSET', Q, 'only', only)
end
if not claimable or tonumber(priority) > tonumber(claimable) then claimable = priority end
