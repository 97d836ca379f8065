if not stored then return redis.error_reply('FAIRLANE the record of the queue is gone') end
if stored ~= NO_RULES then
  local rules = {}
  for rule in string.gmatch(stored, '%d+') do rules[#rules + 1] = tonumber(rule) end
  in_line, suspends = rules[1] == 1, rules[2] == 1
  max_attempts, max_messages = rules[3], rules[4]
  max_group_messages, max_event_bytes = rules[5], rules[6]
end
