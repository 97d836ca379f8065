local now
if #ARGV[1] == 8 then
  local time = call('TIME')
  now = time[1] * 1000000 + time[2]
else
  now = tonumber(string.sub(ARGV[1], 9))
end
