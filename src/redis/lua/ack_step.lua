-- Acks what stands in ARGV from `from` on, group and fence of each lease.
local settled = {}
for i = from, #ARGV, 2 do
  local group = ARGV[i]
  local key = Q .. ':g:' .. group
  local first = call('LRANGE', key, 0, 2)
  local record = first[1]
  if record then
    local seq, _, last, turn, _, _, state, fence, priority = from_bytes(RECORD, record)
    if fence == ARGV[i + 1] then
      if state == LEASED then
        call('ZREM', Q .. ':leased', group)
      else  -- It ran out, and nobody claimed it since.
        call('ZREM', Q .. ':c:' .. priority, to_bytes('>I8', seq) .. group)
      end
      local next_message = first[3]
      if next_message then
        local next_seq, published = from_bytes(MESSAGE, next_message)
        call('LSET', key, 1, to_bytes(RECORD, next_seq, published, last, turn, 0, 0, FREE, NO_FENCE,
          #priority, priority))
        call('LPOP', key)
        if not suspended or not call('ZSCORE', Q .. ':suspended', group) then
          ready(group, priority, turn, next_seq)
        end
      else
        call('DEL', key)
        call('ZREM', Q .. ':active', group)
      end
      left = left + 1
      settled[#settled + 1] = '1'
    else
      settled[#settled + 1] = '0'
    end
  else
    settled[#settled + 1] = '0'
  end
end
