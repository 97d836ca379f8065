local record = call('HMGET', Q, 'rules', 'lapse_at', 'suspended', 'only', 'told')
local stored = record[1]
lapse_at, suspended, only, told = tonumber(record[2]), record[3], record[4], record[5]
--@include rules
