-- Publishing. Every call of the library answers with these first:
--   status     0 done; 1 something had run out, which is taken note of now: call again; 2 there is
--              no room; 3 an event is too large, `detail` is the limit
--   died       messages that the call moved to the dead letters
--   claimable  of the groups that it may have made claimable the highest priority
--   room       a message left, and there are limits for which that matters
-- p_now is the instant if a test has a clock of its own, else NULL.

-- Appends to a group if there is room. The lock on the group comes before the seq, and is held to
-- the end of the transaction: so a group's messages are committed in the order of their seqs. The
-- record is only held against its removal, so claims and acks of the group do not wait, however
-- long the transaction is.
CREATE FUNCTION fairlane.append(q fairlane.queue, p_group bytea, p_event bytea, p_priority int,
                                p_now bigint, OUT status int, OUT claimable int, OUT seq bigint)
LANGUAGE plpgsql AS $$
DECLARE
  v_key bigint;
  v_head bigint;
BEGIN
  PERFORM pg_advisory_xact_lock(fairlane.group_lock(q.id, p_group));
  SELECT a.key, a.head_seq INTO v_key, v_head FROM fairlane.active_group a
    WHERE a.queue = q.id AND a.group_id = p_group FOR KEY SHARE;
  status := 2;
  IF q.max_group_messages > 0 AND v_key IS NOT NULL AND EXISTS (
      SELECT FROM fairlane.message m WHERE m.group_key = v_key AND m.seq >= v_head
        ORDER BY m.seq OFFSET q.max_group_messages - 1 LIMIT 1) THEN
    RETURN;
  END IF;
  IF q.max_messages > 0 THEN
    UPDATE fairlane.counter c SET messages = c.messages + 1
      WHERE c.queue = q.id AND c.messages < q.max_messages;
    IF NOT FOUND THEN
      RETURN;
    END IF;
  END IF;
  status := 0;
  seq := nextval(q.seq);
  IF v_key IS NULL THEN
    SELECT m.key, m.claimable INTO v_key, claimable
      FROM fairlane.make_group(q.id, q.rotation, p_group, p_priority, seq) m;
  END IF;
  INSERT INTO fairlane.message VALUES (v_key, seq, p_now, p_event);
END $$;

-- A group that was not active, for the message that comes next. The caller has the group's lock.
CREATE FUNCTION fairlane.make_group(p_queue int, p_rotation int, p_group bytea, p_priority int,
                                    p_seq bigint, OUT key bigint, OUT claimable int)
LANGUAGE plpgsql AS $$
DECLARE
  v_suspended boolean := EXISTS (SELECT FROM fairlane.suspended s
                                 WHERE s.queue = p_queue AND s.group_id = p_group);
BEGIN
  key := nextval('fairlane.ticket');
  INSERT INTO fairlane.active_group VALUES
    (key, 0, CASE p_rotation WHEN 0 THEN 0 ELSE nextval('fairlane.ticket') END, p_seq, 0, 0,
     p_queue, p_priority, 0, 0, v_suspended, p_group, '');
  claimable := CASE WHEN v_suspended THEN NULL ELSE p_priority END;
END $$;

-- What fairlane.enter and fairlane.append do, with the fewest statements where there are no limits.
CREATE FUNCTION fairlane.call_publish(p_queue int, p_group bytea, p_event bytea, p_priority int,
                                      p_now bigint,
                                      OUT status int, OUT died bigint, OUT claimable int,
                                      OUT room boolean, OUT detail bigint, OUT seqs bigint[])
LANGUAGE plpgsql AS $$
DECLARE
  q fairlane.queue;
  v_sequence regclass;
  v_rotation int;
  v_most_bytes bigint;
  v_limited boolean;
  v_key bigint;
  v_now bigint;
  v_seq bigint;
  v_lapsed int;
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    PERFORM fairlane.refuse_isolation();
  END IF;
  IF current_setting('plan_cache_mode') <> 'force_generic_plan' THEN
    PERFORM fairlane.plan_by_index();
  END IF;
  IF pg_advisory_xact_lock_shared(fairlane.door_lock(p_queue)) IS NOT NULL
     AND pg_advisory_xact_lock(fairlane.group_lock(p_queue, p_group)) IS NOT NULL THEN
    v_now := coalesce(p_now, fairlane.now_ns());
  END IF;
  SELECT f.seq, f.rotation, f.max_event_bytes,
         f.max_attempts > 0 OR f.max_messages > 0 OR f.max_group_messages > 0, a.key
    INTO v_sequence, v_rotation, v_most_bytes, v_limited, v_key
    FROM fairlane.queue f
    LEFT JOIN LATERAL (SELECT b.key FROM fairlane.active_group b
                         WHERE b.queue = p_queue AND b.group_id = p_group FOR KEY SHARE) a ON true
    WHERE f.id = p_queue;
  IF v_sequence IS NULL THEN
    PERFORM fairlane.refuse_queue();
  END IF;
  IF v_most_bytes > 0 AND octet_length(p_event) > v_most_bytes THEN
    status := 3;
    detail := v_most_bytes;
    RETURN;
  END IF;
  IF v_limited THEN
    SELECT * INTO q FROM fairlane.queue f WHERE f.id = p_queue;
    -- A death by the clock may make room, or drain the group.
    IF q.max_attempts > 0 AND fairlane.ran_out(p_queue, v_now) THEN
      SELECT * INTO v_lapsed, died, claimable FROM fairlane.lapse(q, v_now);
      IF v_lapsed > 0 THEN
        status := 1;
        room := fairlane.is_limited(q) AND died > 0;
        RETURN;
      END IF;
    END IF;
    SELECT a.status, a.claimable, ARRAY[a.seq] INTO status, claimable, seqs
      FROM fairlane.append(q, p_group, p_event, p_priority, v_now) a;
    RETURN;
  END IF;
  v_seq := nextval(v_sequence);
  IF v_key IS NULL THEN
    SELECT m.key, m.claimable INTO v_key, claimable
      FROM fairlane.make_group(p_queue, v_rotation, p_group, p_priority, v_seq) m;
  END IF;
  INSERT INTO fairlane.message VALUES (v_key, v_seq, v_now, p_event);
  seqs := ARRAY[v_seq];
  status := 0;
END $$;

-- All or nothing, in order.
CREATE FUNCTION fairlane.call_publish_batch(p_queue int, p_groups bytea[], p_events bytea[],
                                            p_priorities int[], p_now bigint,
                                            OUT status int, OUT died bigint, OUT claimable int,
                                            OUT room boolean, OUT detail bigint, OUT seqs bigint[])
LANGUAGE plpgsql AS $$
DECLARE
  most_locks CONSTANT int := 256;
  q fairlane.queue;
  v_now bigint;
  v_lapsed int;
  v_locks bigint[];
  v_count int := cardinality(p_groups);
BEGIN
  SELECT array_agg(d.k ORDER BY d.k) INTO v_locks FROM (
    SELECT DISTINCT fairlane.group_lock(p_queue, g) AS k FROM unnest(p_groups) g) d;
  IF cardinality(v_locks) > most_locks THEN
    PERFORM pg_advisory_xact_lock(fairlane.door_lock(p_queue));
  END IF;
  q := fairlane.enter(p_queue, true);
  IF q.max_event_bytes > 0 AND
     (SELECT max(octet_length(e)) FROM unnest(p_events) e) > q.max_event_bytes THEN
    status := 3;
    detail := q.max_event_bytes;
    RETURN;
  END IF;
  IF cardinality(v_locks) <= most_locks THEN
    PERFORM pg_advisory_xact_lock(k) FROM unnest(v_locks) k;
  END IF;
  v_now := coalesce(p_now, fairlane.now_ns());
  IF q.max_attempts > 0 AND fairlane.ran_out(p_queue, v_now) THEN
    SELECT * INTO v_lapsed, died, claimable FROM fairlane.lapse(q, v_now);
    IF v_lapsed > 0 THEN
      status := 1;
      room := fairlane.is_limited(q) AND died > 0;
      RETURN;
    END IF;
  END IF;
  PERFORM 1 FROM (SELECT DISTINCT g FROM unnest(p_groups) g ORDER BY g OFFSET 0) d,
    LATERAL (SELECT FROM fairlane.active_group b
               WHERE b.queue = p_queue AND b.group_id = d.g FOR KEY SHARE) a;
  IF q.max_group_messages > 0 AND EXISTS (
      SELECT FROM (SELECT g AS group_id, count(*) AS added FROM unnest(p_groups) g GROUP BY g) n
        LEFT JOIN LATERAL (SELECT b.key, b.head_seq FROM fairlane.active_group b
                             WHERE b.queue = p_queue AND b.group_id = n.group_id OFFSET 0) a
          ON true
        WHERE n.added > q.max_group_messages OR EXISTS (
          SELECT FROM fairlane.message m WHERE m.group_key = a.key AND m.seq >= a.head_seq
            ORDER BY m.seq OFFSET q.max_group_messages - n.added LIMIT 1)) THEN
    status := 2;
    RETURN;
  END IF;
  IF q.max_messages > 0 THEN
    UPDATE fairlane.counter c SET messages = c.messages + v_count
      WHERE c.queue = p_queue AND c.messages < q.max_messages
        AND v_count <= q.max_messages - c.messages;
    IF NOT FOUND THEN
      status := 2;
      RETURN;
    END IF;
  END IF;

  SELECT array_agg(nextval(q.seq)) INTO seqs FROM generate_series(1, v_count);
  WITH first AS (
    SELECT DISTINCT ON (u.group_id) u.group_id, u.priority, u.seq
      FROM unnest(p_groups, p_priorities, seqs) AS u(group_id, priority, seq)
      WHERE NOT EXISTS (SELECT FROM fairlane.active_group a
                        WHERE a.queue = p_queue AND a.group_id = u.group_id OFFSET 0)
      ORDER BY u.group_id, u.seq
  ), made AS (
    INSERT INTO fairlane.active_group
      SELECT nextval('fairlane.ticket'), 0,
             CASE q.rotation WHEN 0 THEN 0 ELSE nextval('fairlane.ticket') END, f.seq, 0, 0,
             p_queue, f.priority, 0, 0,
             EXISTS (SELECT FROM fairlane.suspended s
                     WHERE s.queue = p_queue AND s.group_id = f.group_id OFFSET 0),
             f.group_id, ''
        FROM (SELECT * FROM first ORDER BY seq OFFSET 0) f
      RETURNING CASE WHEN active_group.suspended THEN NULL ELSE active_group.priority END
        AS priority
  )
  SELECT max(made.priority) INTO claimable FROM made;
  INSERT INTO fairlane.message
    SELECT a.key, u.seq, v_now, u.event
      FROM unnest(p_groups, seqs, p_events) AS u(group_id, seq, event),
           LATERAL (SELECT b.key FROM fairlane.active_group b
                      WHERE b.queue = p_queue AND b.group_id = u.group_id OFFSET 0) a;
  status := 0;
END $$;

-- For the caller's own transaction: what it publishes is there when the transaction commits, and
-- never was if it is rolled back. FIFO within a group is the order of the commits.

CREATE FUNCTION fairlane.queue_named(queue text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
  v_id int;
BEGIN
  SELECT q.id INTO v_id FROM fairlane.queue q WHERE q.name = convert_to(queue, 'UTF8');
  IF NOT FOUND THEN
    RAISE EXCEPTION 'fairlane has no queue named "%"', queue USING ERRCODE = 'FL002';
  END IF;
  RETURN v_id;
END $$;

CREATE FUNCTION fairlane.refuse(p_status int, p_limit bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF p_status = 2 THEN
    RAISE EXCEPTION 'fairlane: no room in the queue, or in the group' USING ERRCODE = 'FL003';
  ELSIF p_status = 3 THEN
    RAISE EXCEPTION 'fairlane: an event may have at most % bytes', p_limit USING ERRCODE = 'FL004';
  END IF;
END $$;

CREATE FUNCTION fairlane.publish(queue text, group_id bytea, event bytea, priority int DEFAULT 0)
RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_queue int := fairlane.queue_named(queue);
  v_claimable int;
  a record;
BEGIN
  IF octet_length(group_id) > 1024 THEN
    RAISE EXCEPTION 'fairlane: group_id has % bytes; at most 1024', octet_length(group_id)
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  LOOP
    SELECT * INTO a FROM fairlane.call_publish(v_queue, group_id, event, priority, NULL);
    v_claimable := greatest(v_claimable, a.claimable);
    EXIT WHEN a.status <> 1;
  END LOOP;
  PERFORM fairlane.refuse(a.status, a.detail);
  -- Nobody can know now who will wait when this commits.
  IF v_claimable IS NOT NULL THEN
    PERFORM pg_notify('fairlane_' || v_queue, v_claimable || ' 0 0');
  END IF;
  RETURN a.seqs[1];
END $$;

-- Into several groups at once, which takes their locks in one order: two transactions that do it
-- cannot wait for each other.
CREATE FUNCTION fairlane.publish_batch(queue text, group_ids bytea[], events bytea[],
                                       priorities int[] DEFAULT NULL)
RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
  v_queue int := fairlane.queue_named(queue);
  v_count int := cardinality(group_ids);
  v_claimable int;
  a record;
BEGIN
  IF cardinality(events) <> v_count OR cardinality(priorities) <> v_count
     OR EXISTS (SELECT FROM unnest(group_ids) g WHERE octet_length(g) > 1024) THEN
    RAISE EXCEPTION 'fairlane: as many events and priorities as groups, of at most 1024 bytes each'
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF v_count = 0 THEN
    RETURN '{}';
  END IF;
  LOOP
    SELECT * INTO a FROM fairlane.call_publish_batch(
      v_queue, group_ids, events, coalesce(priorities, array_fill(0, ARRAY[v_count])), NULL);
    v_claimable := greatest(v_claimable, a.claimable);
    EXIT WHEN a.status <> 1;
  END LOOP;
  PERFORM fairlane.refuse(a.status, a.detail);
  IF v_claimable IS NOT NULL THEN
    PERFORM pg_notify('fairlane_' || v_queue, v_claimable || ' 0 0');
  END IF;
  RETURN a.seqs;
END $$;
