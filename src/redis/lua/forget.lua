-- Strikes a priority that no claimable group has.
local function forget(priority)
  call('ZREM', Q .. ':priorities', priority)
  local rest = call('ZRANGE', Q .. ':priorities', '0', '1')
  only = #rest == 1 and rest[1] or ''
  if #rest == 0 then call('HDEL', Q, 'only') else call('HSET', Q, 'only', only) end
end
