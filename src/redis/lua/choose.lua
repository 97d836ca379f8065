-- The first of each priority; among them the rotation alone decides.
chosen = {}
local heads = {}
local function look_at(priority)
  local first = call('ZRANGE', Q .. ':c:' .. priority, '0', '0', 'WITHSCORES')
  local member = first[1]
  if not member then
    heads[priority] = nil
    return forget(priority)
  end
  heads[priority] = { member = member, turn = tonumber(first[2]), seq = from_bytes('>I8', member) }
end
for _, priority in ipairs(call('ZRANGEBYSCORE', Q .. ':priorities', format('%d', floor), '+inf')) do
  look_at(priority)
end
while #chosen < 2 * count do
  local best, of
  for priority, head in pairs(heads) do
    if not best or head.turn < best.turn or (head.turn == best.turn and head.seq < best.seq) then
      best, of = head, priority
    end
  end
  if not best then break end
  call('ZREM', Q .. ':c:' .. of, best.member)
  chosen[#chosen + 1], chosen[#chosen + 2] = best.member, best.turn
  look_at(of)
end
