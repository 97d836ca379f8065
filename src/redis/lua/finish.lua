-- Counts what left, and tells those of other processes who wait and want to be told.
if left > 0 then call('HINCRBY', Q, 'left', left) end
if meta[5] and (claimable or left > 0 or short) then
  local time = call('TIME')
  local wall = time[1] * 1000000 + time[2]
  local for_claims, for_room = from_bytes('>I8I8', meta[5])
  local words = 0
  if for_claims > wall then words = (claimable and 1 or 0) + (short and 4 or 0) end
  if for_room > wall and left > 0 then words = words + 2 end
  if words > 0 then
    call('PUBLISH', Q .. ':told', to_bytes('>Bi4', words, tonumber(claimable or 0)) .. ARGV[1])
  elseif for_claims <= wall and for_room <= wall then
    call('HDEL', Q, 'told')
  end
end
