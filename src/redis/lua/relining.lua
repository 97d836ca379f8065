local RECORD = '>I8I8I8I8I8I4Bc8Bc0'
local all = {}
for i, group in ipairs(call('ZRANGE', Q .. ':active', 0, -1)) do
  local key = Q .. ':g:' .. group
  local record = call('LINDEX', key, 0)
  local values = { struct.unpack(RECORD, record) }
  values.key, values.group, values.worker = key, group, string.sub(record, values[10])
  all[i] = values
end
table.sort(all, function(one, other)
  if one[3] ~= other[3] then return one[3] < other[3] end
  return one[1] < other[1]
end)
for place, v in ipairs(all) do
  v[4] = in_line and place or v[3]
  call('LSET', v.key, 0, struct.pack(RECORD, v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8], #v[9],
    v[9]) .. v.worker)
  local class, member = Q .. ':c:' .. v[9], struct.pack('>I8', v[1]) .. v.group
  call('ZADD', class, 'XX', v[4], member)
end
local line = tonumber(call('HGET', Q, 'line'))
call('HSET', Q, 'line', math.max(line, #all))
