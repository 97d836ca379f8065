local function ready(group, priority, turn, seq)
  local place = to_bytes('>I8', seq)
  --@include stand_ready
end
