local function ready(group, priority, turn, seq)
  --@include stand_ready
end
