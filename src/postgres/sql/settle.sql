-- What else is done through a lease: 0 nack, 1 extend, 2 release, 3 reject.
CREATE FUNCTION fairlane.call_settle(p_queue int, p_group bytea, p_fence bigint, p_verb int,
                                     p_duration bigint, p_reason bytea, p_now bigint,
                                     OUT status int, OUT died bigint, OUT claimable int,
                                     OUT room boolean, OUT settled boolean)
LANGUAGE plpgsql AS $$
DECLARE
  q fairlane.queue := fairlane.enter(p_queue, false);
  v_now bigint := coalesce(p_now, fairlane.now_ns());
  g fairlane.active_group;
  v_lapsed int;
  v_left int := 1;        -- as remove_head: 1 leaves the group claimable
  v_exhausted boolean;
BEGIN
  status := 0;
  died := 0;
  room := false;
  IF q.max_attempts > 0 AND fairlane.ran_out(p_queue, v_now) THEN
    SELECT * INTO v_lapsed, died, claimable FROM fairlane.lapse(q, v_now);
    IF v_lapsed > 0 THEN
      status := 1;
      room := fairlane.is_limited(q) AND died > 0;
      RETURN;
    END IF;
  END IF;
  SELECT * INTO g FROM fairlane.active_group a
    WHERE a.queue = p_queue AND a.group_id = p_group AND a.fence = p_fence FOR NO KEY UPDATE;
  settled := FOUND;
  IF NOT settled THEN
    RETURN;
  END IF;
  v_exhausted := q.max_attempts > 0 AND g.attempts >= q.max_attempts;
  IF v_exhausted AND g.state = 1 AND g.expiry < v_now THEN
    settled := false;  -- it ran out on its last attempt, and nobody took note of that
    v_left := fairlane.fail_exhausted(q, g, true);
    died := CASE WHEN v_left < 2 THEN 1 ELSE 0 END;
  ELSIF p_verb = 3 THEN
    v_left := fairlane.bury(g, p_reason, true);
    died := 1;
  ELSIF p_verb = 0 AND v_exhausted THEN
    v_left := fairlane.fail_exhausted(q, g, true);
    died := CASE WHEN v_left < 2 THEN 1 ELSE 0 END;
  ELSIF p_verb = 1 OR (p_verb = 0 AND p_duration > 0) THEN
    UPDATE fairlane.active_group a
      SET state = CASE p_verb WHEN 1 THEN 1 ELSE 2 END,
          expiry = fairlane.later(v_now, p_duration),
          fence = CASE p_verb WHEN 1 THEN a.fence ELSE 0 END
      WHERE a.queue = p_queue AND a.group_id = p_group;
    v_left := 0;
  ELSE
    UPDATE fairlane.active_group a
      SET state = 0, fence = 0, attempts = a.attempts - CASE p_verb WHEN 2 THEN 1 ELSE 0 END
      WHERE a.queue = p_queue AND a.group_id = p_group;
  END IF;
  IF v_left = 1 AND NOT g.suspended THEN
    claimable := g.priority;
  END IF;
  IF died > 0 THEN
    room := fairlane.is_limited(q);
    IF q.max_messages > 0 THEN
      UPDATE fairlane.counter c SET messages = c.messages - died WHERE c.queue = p_queue;
    END IF;
  END IF;
END $$;
