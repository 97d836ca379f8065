local time = call('TIME')
local wall = time[1] * 1000000 + time[2]
local for_claims, for_room = from_bytes('>I8I8', told)
local words = 0
if for_claims > wall then words = (claimable and 1 or 0) + (short and 4 or 0) end
if for_room > wall and left > 0 then words = words + 2 end
if words > 0 then
  call('PUBLISH', Q .. ':told',
    to_bytes('>Bi4', words, tonumber(claimable or 0)) .. string.sub(ARGV[1], 1, 8))
elseif for_claims <= wall and for_room <= wall then
  call('HDEL', Q, 'told')
end
