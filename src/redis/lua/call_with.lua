-- Calls a command with many words, a thousand at a time.
local function call_with(command, key, words)
  for i = 1, #words, 1000 do
    call(command, key, unpack(words, i, math.min(i + 999, #words)))
  end
end
