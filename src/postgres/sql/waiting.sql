-- Waiting. A process registers and then tries once more; who changes something commits and then
-- looks who is registered. So either it finds the process, or the process finds what was changed.
-- No call notifies in its own transaction: that would take a lock of the whole server's at its
-- commit, one transaction at a time.

-- Registers for three seconds, and looks: the highest priority that is claimable, and how long
-- until the first lease or park ends.
CREATE FUNCTION fairlane.call_look(p_queue int, p_pid int, p_min_priority int, p_room boolean,
                                   p_now bigint,
                                   OUT claimable int, OUT ends_in bigint, OUT server_now bigint)
LANGUAGE plpgsql AS $$
DECLARE
  v_wall timestamptz := clock_timestamp();
  v_expired int;
BEGIN
  -- Who has no ear of its own (0) only looks.
  IF p_pid <> 0 THEN
    UPDATE fairlane.waiter w
      SET min_priority = p_min_priority, room = p_room, until = v_wall + interval '3 seconds'
      WHERE w.queue = p_queue AND w.pid = p_pid;
    IF NOT FOUND THEN
      INSERT INTO fairlane.waiter VALUES (p_queue, p_pid, p_min_priority, p_room,
                                          v_wall + interval '3 seconds')
        ON CONFLICT (queue, pid) DO UPDATE
          SET min_priority = excluded.min_priority, room = excluded.room, until = excluded.until;
      -- Those who went without a word.
      DELETE FROM fairlane.waiter w
        WHERE (w.queue, w.pid) IN (SELECT o.queue, o.pid FROM fairlane.waiter o
                                     WHERE o.until < v_wall - interval '1 minute'
                                     FOR UPDATE SKIP LOCKED);
    END IF;
  END IF;
  server_now := coalesce(p_now, fairlane.now_ns());
  SELECT a.priority INTO claimable FROM fairlane.active_group a
    WHERE a.queue = p_queue AND a.state = 0 AND NOT a.suspended
    ORDER BY a.priority DESC LIMIT 1;
  -- What ran out is claimable too, though nobody took note of it. Of more than a hundred it is not
  -- worth knowing which: whoever waits tries, and the try takes note of them.
  SELECT CASE WHEN count(*) > 100 THEN 2147483647
              ELSE max(o.priority) FILTER (WHERE NOT o.suspended) END
    INTO v_expired
    FROM (SELECT a.priority, a.suspended FROM fairlane.active_group a
            WHERE a.queue = p_queue AND a.state <> 0 AND a.expiry < server_now
            ORDER BY a.expiry LIMIT 101) o;
  claimable := greatest(claimable, v_expired);
  SELECT a.expiry - server_now INTO ends_in FROM fairlane.active_group a
    WHERE a.queue = p_queue AND a.state <> 0 AND a.expiry >= server_now
    ORDER BY a.expiry LIMIT 1;
END $$;

-- Passes on what a committed call changed, if another process waits that could use it. The text:
-- the priority of what is claimable or -, whether there is room, whether something ends soon.
CREATE FUNCTION fairlane.call_tell(p_queue int, p_pid int, p_claimable int, p_room boolean,
                                   p_short boolean)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM fairlane.waiter w
                   WHERE w.queue = p_queue AND w.pid <> p_pid AND w.until > clock_timestamp()
                     AND (w.min_priority <= p_claimable OR (p_room AND w.room)
                          OR (p_short AND w.min_priority IS NOT NULL))) THEN
    RETURN false;
  END IF;
  PERFORM pg_notify('fairlane_' || p_queue,
                    coalesce(p_claimable::text, '-') || ' ' || p_room::int || ' ' || p_short::int);
  RETURN true;
END $$;
