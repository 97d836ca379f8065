-- Acks what stands in ARGV from `from` on, group and fence of each lease. What many have in common
-- is done at once for all, at the end.
local settled, ended, lines = '0', false, false
if #ARGV > from + 1 then settled, ended, lines = {}, {}, {} end
for i = from, #ARGV, 2 do
  local group = ARGV[i]
  local key = Q .. ':g:' .. group
  -- Taken out rather than looked at: it makes room for the next one, or else comes back.
  local record, done = call('LPOP', key), '0'
  if record then
    local seq, published, last, turn, _, _, state, fence, priority = from_bytes(RECORD, record)
    if fence == ARGV[i + 1] then
      if state ~= LEASED then  -- It ran out, and nobody claimed it since.
        call('ZREM', Q .. ':c:' .. priority, to_bytes('>I8', seq) .. group)
      elseif ended then
        ended[#ended + 1] = group
      else
        call('ZREM', Q .. ':leased', group)
      end
      local next_message = call('LINDEX', key, '1')
      if next_message then
        seq, published = from_bytes(MESSAGE, next_message)
        call('LSET', key, '0', to_bytes(RECORD, seq, published, last, turn, 0, 0, FREE, NO_FENCE,
          #priority, priority))
        local is_suspended = suspended and call('ZSCORE', Q .. ':suspended', group)
        if not is_suspended and lines then
          local line = lines[priority] or {}
          line[#line + 1], line[#line + 2] = format('%d', turn), to_bytes('>I8', seq) .. group
          lines[priority] = line
          --@include in_use
        elseif not is_suspended then
          --@include stand_ready
        end
      else
        call('DEL', key)
        call('ZREM', Q .. ':active', group)
      end
      left, done = left + 1, '1'
    else
      call('LPUSH', key, record)
    end
  end
  if ended then settled[#settled + 1] = done else settled = done end
end
if ended then
  --@include call_with
  settled = table.concat(settled)
  call_with('ZREM', Q .. ':leased', ended)
  for priority, line in pairs(lines) do call_with('ZADD', Q .. ':c:' .. priority, line) end
end
answer = settled
