-- The highest priority that a claimable group has; false: there is none.
local function highest()
  while true do
    local first = call('ZREVRANGE', Q .. ':priorities', '0', '0')[1]
    if not first then return false end
    if call('EXISTS', Q .. ':c:' .. first) == 1 then return first end
    forget(first)
  end
end
