-- Whether so many more messages fit into the queue, of which `dropped` leave first.
local function fits_queue(more, dropped)
  if max_messages == 0 then return true end
  local counted = call('HMGET', Q, 'seq', 'left')
  return counted[1] - counted[2] - left - dropped + more <= max_messages
end
local function fits_group(more) return max_group_messages == 0 or more <= max_group_messages end
local function messages_of(group) return math.max(call('LLEN', Q .. ':g:' .. group) - 1, 0) end
