-- Counts what left, and tells those of other processes who wait and want to be told.
if left > 0 then call('HINCRBY', Q, 'left', left == 1 and '1' or format('%d', left)) end
if claimable or left > 0 or short then
  if told == nil then told = call('HGET', Q, 'told') end
  if told then
    --@include tell
  end
end
