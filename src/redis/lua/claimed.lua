-- Answers what was settled, now, the highest priority still claimable if it should look, then
-- message, group and attempt of each lease. One lease, and nothing ran out: as one text, which
-- costs a quarter of a list. Its first number says how long what was settled and what became
-- claimable are together.
if leases and not leases[4] and not more and died == 0 then
  local said, group = settled .. (claimable or ''), leases[2]
  return to_bytes('>I4I8I4I4', #said, now, leases[3], #group) .. said .. group .. leases[1]
end
local reply = { again and 1 or 0, claimable, died, settled, now, more }
if leases then
  for i = 1, #leases do reply[6 + i] = leases[i] end
end
return reply
