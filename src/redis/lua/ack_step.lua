-- Acks what stands in ARGV from `from` on, group and fence of each lease. What many have in common
-- is done at once for all, at the end.
local all, ended, lines = false, false, false
if #ARGV > from + 1 then all, ended, lines = {}, {}, {} end
for i = from, #ARGV, 2 do
  local group = ARGV[i]
  local key = Q .. ':g:' .. group
  -- Taken out rather than looked at: it makes room for the next one, or else comes back.
  local record = call('LPOP', key)
  settled = '0'
  if record then
    local turn, _, _, state, fence, priority = from_bytes(FROM_TURN_ON, record, 25)
    if fence == ARGV[i + 1] then
      if state ~= LEASED then  -- It ran out, and nobody claimed it since.
        call('ZREM', Q .. ':c:' .. priority, string.sub(record, 1, 8) .. group)
      elseif ended then
        ended[#ended + 1] = group
      else
        call('ZREM', Q .. ':leased', group)
      end
      local next_message = call('LINDEX', key, '1')
      if next_message then
        local place = string.sub(next_message, 1, 8)
        call('LSET', key, '0', string.sub(next_message, 1, 16) .. string.sub(record, 17, 32) ..
          NOT_IN_FLIGHT .. string.sub(record, 54, 54) .. priority)
        local is_suspended = suspended and call('ZSCORE', Q .. ':suspended', group)
        if not is_suspended and lines then
          local line = lines[priority] or {}
          line[#line + 1], line[#line + 2] = format('%d', turn), place .. group
          lines[priority] = line
          --@include in_use
        elseif not is_suspended then
          --@include stand_ready
        end
      else
        call('DEL', key)
        call('ZREM', Q .. ':active', group)
      end
      left, settled = left + 1, '1'
    else
      call('LPUSH', key, record)
    end
  end
  if all then all[#all + 1] = settled end
end
if all then
  --@include call_with
  settled = table.concat(all)
  call_with('ZREM', Q .. ':leased', ended)
  for priority, line in pairs(lines) do call_with('ZADD', Q .. ':c:' .. priority, line) end
end
