-- The control plane and the dead letters. Whoever changes a whole group locks it against those who
-- publish first, then its record.

-- Begins a call of this file: the rules, and what ran out. `status` 1: call again.
CREATE FUNCTION fairlane.enter_control(p_queue int, p_now bigint,
                                       OUT q fairlane.queue, OUT v_now bigint,
                                       OUT status int, OUT died bigint,
                                       OUT claimable int, OUT room boolean)
LANGUAGE plpgsql AS $$
DECLARE
  v_lapsed int;
BEGIN
  q := fairlane.enter(p_queue, true);
  v_now := coalesce(p_now, fairlane.now_ns());
  status := 0;
  died := 0;
  IF fairlane.ran_out(p_queue, v_now) THEN
    SELECT l.lapsed, l.died, l.claimable INTO v_lapsed, died, claimable
      FROM fairlane.lapse(q, v_now) l;
    status := CASE WHEN v_lapsed > 0 THEN 1 ELSE 0 END;
  END IF;
  room := fairlane.is_limited(q) AND died > 0;
END $$;

CREATE FUNCTION fairlane.call_set_suspended(p_queue int, p_group bytea, p_suspended boolean,
                                            p_now bigint,
                                            OUT status int, OUT died bigint, OUT claimable int,
                                            OUT room boolean)
LANGUAGE plpgsql AS $$
DECLARE
  e record := fairlane.enter_control(p_queue, p_now);
  g fairlane.active_group;
BEGIN
  SELECT e.status, e.died, e.claimable, e.room INTO status, died, claimable, room;
  IF status = 1 THEN
    RETURN;
  END IF;
  PERFORM pg_advisory_xact_lock(fairlane.group_lock(p_queue, p_group));
  SELECT * INTO g FROM fairlane.active_group a
    WHERE a.queue = p_queue AND a.group_id = p_group FOR NO KEY UPDATE;
  IF p_suspended THEN
    INSERT INTO fairlane.suspended VALUES (p_queue, p_group) ON CONFLICT DO NOTHING;
  ELSE
    DELETE FROM fairlane.suspended s WHERE s.queue = p_queue AND s.group_id = p_group;
  END IF;
  UPDATE fairlane.active_group a SET suspended = p_suspended
    WHERE a.queue = p_queue AND a.group_id = p_group AND a.suspended <> p_suspended;
  IF NOT p_suspended AND g.state = 0 THEN
    claimable := g.priority;
  END IF;
END $$;

CREATE FUNCTION fairlane.call_terminate(p_queue int, p_group bytea, p_now bigint,
                                        OUT status int, OUT died bigint, OUT claimable int,
                                        OUT room boolean, OUT dropped bigint)
LANGUAGE plpgsql AS $$
DECLARE
  e record := fairlane.enter_control(p_queue, p_now);
  v_key bigint;
BEGIN
  SELECT e.status, e.died, e.claimable, e.room INTO status, died, claimable, room;
  IF status = 1 THEN
    RETURN;
  END IF;
  PERFORM pg_advisory_xact_lock(fairlane.group_lock(p_queue, p_group));
  SELECT a.key INTO v_key FROM fairlane.active_group a
    WHERE a.queue = p_queue AND a.group_id = p_group FOR UPDATE;
  dropped := 0;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  DELETE FROM fairlane.message m WHERE m.group_key = v_key;
  GET DIAGNOSTICS dropped = ROW_COUNT;
  DELETE FROM fairlane.active_group a WHERE a.queue = p_queue AND a.group_id = p_group;
  room := fairlane.is_limited(e.q);
  IF (e.q).max_messages > 0 THEN
    UPDATE fairlane.counter c SET messages = c.messages - dropped WHERE c.queue = p_queue;
  END IF;
END $$;

CREATE FUNCTION fairlane.call_cancel(p_queue int, p_group bytea, p_event bytea, p_now bigint,
                                     OUT status int, OUT died bigint, OUT claimable int,
                                     OUT room boolean, OUT detail bigint, OUT dropped bigint,
                                     OUT seq bigint)
LANGUAGE plpgsql AS $$
DECLARE
  e record;
  q fairlane.queue;
  g fairlane.active_group;
  v_keeps boolean;        -- a head that is leased now stays
BEGIN
  q := fairlane.enter(p_queue, true);
  IF q.max_event_bytes > 0 AND octet_length(p_event) > q.max_event_bytes THEN
    status := 3;
    detail := q.max_event_bytes;
    RETURN;
  END IF;
  e := fairlane.enter_control(p_queue, p_now);
  SELECT e.status, e.died, e.claimable, e.room INTO status, died, claimable, room;
  IF status = 1 THEN
    RETURN;
  END IF;
  PERFORM pg_advisory_xact_lock(fairlane.group_lock(p_queue, p_group));
  SELECT * INTO g FROM fairlane.active_group a
    WHERE a.queue = p_queue AND a.group_id = p_group FOR NO KEY UPDATE;
  v_keeps := coalesce(g.state = 1 AND g.expiry >= e.v_now, false);
  dropped := (SELECT count(*) FROM fairlane.message m
                WHERE m.group_key = g.key AND m.seq >= g.head_seq) - v_keeps::int;
  IF q.max_group_messages = 1 AND v_keeps THEN
    status := 2;
    RETURN;
  END IF;
  IF q.max_messages > 0 THEN
    UPDATE fairlane.counter c SET messages = c.messages - dropped + 1
      WHERE c.queue = p_queue AND c.messages - dropped < q.max_messages;
    IF NOT FOUND THEN
      status := 2;
      RETURN;
    END IF;
  END IF;
  seq := nextval(q.seq);
  IF g.key IS NULL THEN
    SELECT m.key, 0, m.claimable IS NULL INTO g.key, g.priority, g.suspended
      FROM fairlane.make_group(p_queue, q.rotation, p_group, 0, seq) m;
  ELSE
    DELETE FROM fairlane.message m
      WHERE m.group_key = g.key AND m.seq >= g.head_seq + v_keeps::int;
    IF NOT v_keeps THEN
      UPDATE fairlane.active_group a SET head_seq = call_cancel.seq, attempts = 0, state = 0,
                                         fence = 0
        WHERE a.queue = p_queue AND a.group_id = p_group;
    END IF;
  END IF;
  INSERT INTO fairlane.message VALUES (g.key, seq, e.v_now, p_event);
  room := fairlane.is_limited(q) AND dropped > 0;
  IF NOT v_keeps AND NOT g.suspended THEN
    claimable := g.priority;
  END IF;
END $$;

CREATE FUNCTION fairlane.call_inspect(p_queue int, p_group bytea, p_now bigint,
                                      OUT status int, OUT died bigint, OUT claimable int,
                                      OUT room boolean, OUT suspended boolean,
                                      OUT messages bigint, OUT priority int,
                                      OUT last_claimed_at bigint, OUT state int, OUT expiry bigint,
                                      OUT attempts int, OUT worker_id bytea)
LANGUAGE plpgsql AS $$
DECLARE
  e record := fairlane.enter_control(p_queue, p_now);
BEGIN
  SELECT e.status, e.died, e.claimable, e.room INTO status, died, claimable, room;
  IF status = 1 THEN
    RETURN;
  END IF;
  SELECT EXISTS (SELECT FROM fairlane.suspended s
                   WHERE s.queue = p_queue AND s.group_id = p_group),
         (SELECT count(*) FROM fairlane.message m
            WHERE m.group_key = a.key AND m.seq >= a.head_seq),
         a.priority, a.last_claimed_at,
         CASE WHEN a.state <> 0 AND a.expiry < e.v_now THEN 0 ELSE a.state END, a.expiry,
         a.attempts, a.worker_id
    INTO suspended, messages, priority, last_claimed_at, state, expiry, attempts, worker_id
    FROM (SELECT) one
    LEFT JOIN fairlane.active_group a ON a.queue = p_queue AND a.group_id = p_group;
END $$;

CREATE FUNCTION fairlane.call_groups(p_queue int, p_suspended boolean, p_after bytea,
                                     p_limit bigint, p_now bigint,
                                     OUT status int, OUT died bigint, OUT claimable int,
                                     OUT room boolean, OUT group_ids bytea[])
LANGUAGE plpgsql AS $$
DECLARE
  e record := fairlane.enter_control(p_queue, p_now);
BEGIN
  SELECT e.status, e.died, e.claimable, e.room INTO status, died, claimable, room;
  IF status = 1 THEN
    RETURN;
  END IF;
  IF p_suspended THEN
    group_ids := ARRAY(SELECT s.group_id FROM fairlane.suspended s
                         WHERE s.queue = p_queue AND s.group_id >= coalesce(p_after, '')
                           AND (p_after IS NULL OR s.group_id > p_after)
                         ORDER BY s.group_id LIMIT p_limit);
  ELSE
    group_ids := ARRAY(SELECT a.group_id FROM fairlane.active_group a
                         WHERE a.queue = p_queue AND a.group_id >= coalesce(p_after, '')
                           AND (p_after IS NULL OR a.group_id > p_after)
                         ORDER BY a.group_id LIMIT p_limit);
  END IF;
END $$;

CREATE FUNCTION fairlane.call_peek(p_queue int, p_group bytea, p_limit bigint, p_now bigint,
                                   OUT status int, OUT died bigint, OUT claimable int,
                                   OUT room boolean, OUT seqs bigint[], OUT events bytea[],
                                   OUT attempts int)
LANGUAGE plpgsql AS $$
DECLARE
  e record := fairlane.enter_control(p_queue, p_now);
BEGIN
  SELECT e.status, e.died, e.claimable, e.room INTO status, died, claimable, room;
  IF status = 1 THEN
    RETURN;
  END IF;
  SELECT a.attempts, array_agg(f.seq ORDER BY f.seq), array_agg(f.event ORDER BY f.seq)
    INTO attempts, seqs, events
    FROM fairlane.active_group a,
         LATERAL (SELECT m.seq, m.event FROM fairlane.message m
                    WHERE m.group_key = a.key AND m.seq >= a.head_seq
                    ORDER BY m.seq LIMIT p_limit) f
    WHERE a.queue = p_queue AND a.group_id = p_group GROUP BY a.attempts;
END $$;

CREATE FUNCTION fairlane.call_count(p_queue int, p_now bigint,
                                    OUT status int, OUT died bigint, OUT claimable int,
                                    OUT room boolean, OUT groups bigint, OUT messages bigint,
                                    OUT ready bigint, OUT leased bigint, OUT parked bigint,
                                    OUT suspended bigint, OUT dead bigint, OUT oldest_age bigint)
LANGUAGE plpgsql AS $$
DECLARE
  e record := fairlane.enter_control(p_queue, p_now);
BEGIN
  SELECT e.status, e.died, e.claimable, e.room INTO status, died, claimable, room;
  IF status = 1 THEN
    RETURN;
  END IF;
  -- One statement: one snapshot.
  SELECT count(*), coalesce(sum(s.messages), 0),
         count(*) FILTER (WHERE s.state = 0 AND NOT s.suspended),
         count(*) FILTER (WHERE s.state = 1), count(*) FILTER (WHERE s.state = 2),
         coalesce(sum(s.messages - CASE s.state WHEN 0 THEN 0 ELSE 1 END)
                    FILTER (WHERE s.suspended), 0),
         (SELECT count(*) FROM fairlane.dead d WHERE d.queue = p_queue),
         coalesce((SELECT e.v_now - m.published_at
                     FROM (SELECT a.key, a.head_seq FROM fairlane.active_group a
                             WHERE a.queue = p_queue ORDER BY a.head_seq LIMIT 1) o
                     JOIN fairlane.message m ON m.group_key = o.key AND m.seq = o.head_seq), 0)
    INTO groups, messages, ready, leased, parked, suspended, dead, oldest_age
    FROM (SELECT a.suspended,
                 CASE WHEN a.state <> 0 AND a.expiry < e.v_now THEN 0 ELSE a.state END AS state,
                 (SELECT count(*) FROM fairlane.message m
                    WHERE m.group_key = a.key AND m.seq >= a.head_seq) AS messages
            FROM fairlane.active_group a WHERE a.queue = p_queue) s;
END $$;

CREATE FUNCTION fairlane.call_dead_letters(p_queue int, p_after bigint, p_limit bigint,
                                           p_now bigint,
                                           OUT status int, OUT died bigint, OUT claimable int,
                                           OUT room boolean, OUT seqs bigint[],
                                           OUT group_ids bytea[], OUT events bytea[],
                                           OUT attempts int[], OUT priorities int[],
                                           OUT worker_ids bytea[], OUT reasons bytea[])
LANGUAGE plpgsql AS $$
DECLARE
  e record := fairlane.enter_control(p_queue, p_now);
BEGIN
  SELECT e.status, e.died, e.claimable, e.room INTO status, died, claimable, room;
  IF status = 1 THEN
    RETURN;
  END IF;
  SELECT array_agg(d.seq ORDER BY d.seq), array_agg(d.group_id ORDER BY d.seq),
         array_agg(d.event ORDER BY d.seq), array_agg(d.attempts ORDER BY d.seq),
         array_agg(d.priority ORDER BY d.seq), array_agg(d.worker_id ORDER BY d.seq),
         array_agg(d.reason ORDER BY d.seq)
    INTO seqs, group_ids, events, attempts, priorities, worker_ids, reasons
    FROM (SELECT * FROM fairlane.dead l WHERE l.queue = p_queue AND l.seq > p_after
            ORDER BY l.seq LIMIT p_limit) d;
END $$;

-- `found` false: there is no such dead letter.
CREATE FUNCTION fairlane.call_redrive(p_queue int, p_seq bigint, p_now bigint,
                                      OUT status int, OUT died bigint, OUT claimable int,
                                      OUT room boolean, OUT is_found boolean, OUT seq bigint)
LANGUAGE plpgsql AS $$
DECLARE
  e record := fairlane.enter_control(p_queue, p_now);
  d fairlane.dead;
  a record;
BEGIN
  SELECT e.status, e.died, e.claimable, e.room INTO status, died, claimable, room;
  IF status = 1 THEN
    RETURN;
  END IF;
  SELECT * INTO d FROM fairlane.dead l WHERE l.queue = p_queue AND l.seq = p_seq;
  is_found := FOUND;
  IF NOT is_found THEN
    RETURN;
  END IF;
  -- Two who redrive it exclude each other by the group's lock.
  PERFORM pg_advisory_xact_lock(fairlane.group_lock(p_queue, d.group_id));
  PERFORM 1 FROM fairlane.dead l WHERE l.queue = p_queue AND l.seq = p_seq FOR UPDATE;
  is_found := FOUND;
  IF NOT is_found THEN
    RETURN;
  END IF;
  SELECT * INTO a FROM fairlane.append(e.q, d.group_id, d.event, d.priority, e.v_now);
  status := a.status;
  claimable := a.claimable;
  seq := a.seq;
  IF status = 0 THEN
    DELETE FROM fairlane.dead l WHERE l.queue = p_queue AND l.seq = p_seq;
  END IF;
END $$;

CREATE FUNCTION fairlane.call_drop_dead(p_queue int, p_seq bigint, p_now bigint,
                                        OUT status int, OUT died bigint, OUT claimable int,
                                        OUT room boolean, OUT is_found boolean)
LANGUAGE plpgsql AS $$
DECLARE
  e record := fairlane.enter_control(p_queue, p_now);
BEGIN
  SELECT e.status, e.died, e.claimable, e.room INTO status, died, claimable, room;
  IF status = 1 THEN
    RETURN;
  END IF;
  DELETE FROM fairlane.dead l WHERE l.queue = p_queue AND l.seq = p_seq;
  is_found := FOUND;
END $$;
