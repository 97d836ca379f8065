-- What the calls share. Locks are taken in one order everywhere, so that no two calls wait for each
-- other: the queue's advisory lock, the groups' advisory locks by key, the groups' records by
-- group_id, the queue's counter.

CREATE FUNCTION fairlane.now_ns() RETURNS bigint LANGUAGE sql VOLATILE AS
$$ SELECT round(date_part('epoch', clock_timestamp()) * 1e6)::bigint * 1000 $$;

-- What tells one lease of a group from another. Drawn, not counted: a server that lost its last
-- commits would count from there again, and give a new lease the fence of one that was lost.
CREATE FUNCTION fairlane.new_fence() RETURNS bigint LANGUAGE sql VOLATILE AS
$$ SELECT 1 + (random() * 9007199254740990)::bigint $$;

-- Never wraps: what lies too far away is never reached.
CREATE FUNCTION fairlane.later(instant bigint, by bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS
$$ SELECT CASE WHEN instant > 0 AND by > 9223372036854775807 - instant
               THEN 9223372036854775807 ELSE instant + by END $$;

-- Those who publish into a group exclude each other by this lock; whatever else is done to the
-- group goes on meanwhile.
CREATE FUNCTION fairlane.group_lock(queue int, group_id bytea) RETURNS bigint
LANGUAGE sql IMMUTABLE AS
$$ SELECT hashtextextended(encode(group_id, 'hex') COLLATE "C", queue) $$;

-- Held shared by all who publish. Who publishes into very many groups takes it alone instead of
-- their locks, which would not find room in the server's table of locks.
CREATE FUNCTION fairlane.door_lock(queue int) RETURNS bigint LANGUAGE sql IMMUTABLE AS
$$ SELECT hashtextextended('fairlane: who publishes' COLLATE "C", queue) $$;

-- Held shared by all others. Who changes a queue's rules takes both alone.
CREATE FUNCTION fairlane.rules_lock(queue int) RETURNS bigint LANGUAGE sql IMMUTABLE AS
$$ SELECT hashtextextended('fairlane: who goes by the rules' COLLATE "C", queue) $$;

-- Makes every statement go by an index, whatever the server last knew about the size of the tables: a
-- queue is empty one minute and holds a million groups the next, and plans are kept meanwhile. The
-- library sets this once for each connection; where it cannot, each transaction does.
CREATE FUNCTION fairlane.plan_by_index() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
          set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
          set_config('jit', 'off', true),
          set_config('plan_cache_mode', 'force_generic_plan', true);
END $$;

-- Each statement has to see what was committed before it, so stricter isolation is refused.
CREATE FUNCTION fairlane.refuse_isolation() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'fairlane works in READ COMMITTED transactions only' USING ERRCODE = 'FL001';
END $$;

CREATE FUNCTION fairlane.refuse_queue() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'there is no such queue' USING ERRCODE = 'FL002';
END $$;

-- Begins a call: from here to the end of the transaction the queue's rules stay as they are. The
-- hottest calls do the same by themselves. A lock is taken within an expression, which is cheaper
-- than a statement of its own.
CREATE FUNCTION fairlane.enter(p_queue int, p_publishes boolean) RETURNS fairlane.queue
LANGUAGE plpgsql AS $$
DECLARE
  q fairlane.queue;
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    PERFORM fairlane.refuse_isolation();
  END IF;
  IF current_setting('plan_cache_mode') <> 'force_generic_plan' THEN
    PERFORM fairlane.plan_by_index();
  END IF;
  IF p_publishes THEN
    PERFORM pg_advisory_xact_lock_shared(fairlane.door_lock(p_queue));
  ELSE
    PERFORM pg_advisory_xact_lock_shared(fairlane.rules_lock(p_queue));
  END IF;
  SELECT * INTO q FROM fairlane.queue WHERE id = p_queue;
  IF NOT FOUND THEN
    PERFORM fairlane.refuse_queue();
  END IF;
  RETURN q;
END $$;

-- Removes a group's head, which the caller has locked FOR NO KEY UPDATE. 1: the next message is the
-- head; 0: the group had no other and is gone; -1: somebody publishes into it who was not to be
-- waited for, and nothing was changed.
CREATE FUNCTION fairlane.remove_head(g fairlane.active_group, p_wait boolean) RETURNS int
LANGUAGE plpgsql AS $$
DECLARE
  v_next bigint;
BEGIN
  SELECT m.seq INTO v_next FROM fairlane.message m
    WHERE m.group_key = g.key AND m.seq > g.head_seq ORDER BY m.seq LIMIT 1;
  IF v_next IS NULL THEN
    -- Who publishes holds the record FOR KEY SHARE. Nobody does once this lock is given, and
    -- whoever did has committed: a second look sees what the first could not.
    IF p_wait THEN
      PERFORM 1 FROM fairlane.active_group a
        WHERE a.queue = g.queue AND a.group_id = g.group_id FOR UPDATE;
    ELSE
      PERFORM 1 FROM fairlane.active_group a
        WHERE a.queue = g.queue AND a.group_id = g.group_id FOR UPDATE SKIP LOCKED;
      IF NOT FOUND THEN
        RETURN -1;
      END IF;
    END IF;
    SELECT m.seq INTO v_next FROM fairlane.message m
      WHERE m.group_key = g.key AND m.seq > g.head_seq ORDER BY m.seq LIMIT 1;
  END IF;
  DELETE FROM fairlane.message m WHERE m.group_key = g.key AND m.seq = g.head_seq;
  IF v_next IS NULL THEN
    DELETE FROM fairlane.active_group a WHERE a.queue = g.queue AND a.group_id = g.group_id;
    RETURN 0;
  END IF;
  UPDATE fairlane.active_group a SET head_seq = v_next, attempts = 0, state = 0, fence = 0
    WHERE a.queue = g.queue AND a.group_id = g.group_id;
  RETURN 1;
END $$;

-- Moves a head to the dead letters; answers as remove_head.
CREATE FUNCTION fairlane.bury(g fairlane.active_group, p_reason bytea, p_wait boolean) RETURNS int
LANGUAGE plpgsql AS $$
DECLARE
  v_event bytea;
  v_left int;
BEGIN
  SELECT m.event INTO v_event FROM fairlane.message m
    WHERE m.group_key = g.key AND m.seq = g.head_seq;
  v_left := fairlane.remove_head(g, p_wait);
  IF v_left >= 0 THEN
    INSERT INTO fairlane.dead VALUES (g.queue, g.head_seq, g.group_id, v_event, g.attempts,
                                      g.priority, g.worker_id, p_reason);
  END IF;
  RETURN v_left;
END $$;

-- What becomes of a head that was claimed max_attempts times. 2: its group is suspended; else as
-- remove_head.
CREATE FUNCTION fairlane.fail_exhausted(q fairlane.queue, g fairlane.active_group, p_wait boolean)
RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  IF q.when_exhausted = 0 THEN
    RETURN fairlane.bury(g, '', p_wait);
  END IF;
  INSERT INTO fairlane.suspended VALUES (g.queue, g.group_id) ON CONFLICT DO NOTHING;
  UPDATE fairlane.active_group a SET state = 0, fence = 0, suspended = true
    WHERE a.queue = g.queue AND a.group_id = g.group_id;
  RETURN 2;
END $$;

-- Takes note of leases and parks that ran out, at most a hundred, those that others work on left
-- out. It waits for nobody. A call of the library that finds some ends with it, and is made again: so
-- it is a transaction of its own.
CREATE FUNCTION fairlane.lapse(q fairlane.queue, p_now bigint,
                               OUT lapsed int, OUT died bigint, OUT claimable int)
LANGUAGE plpgsql AS $$
DECLARE
  g fairlane.active_group;
  v_left int;
BEGIN
  lapsed := 0;
  died := 0;
  IF q.max_attempts = 0 THEN
    WITH over AS (
      SELECT a.queue, a.group_id FROM fairlane.active_group a
        WHERE a.queue = q.id AND a.state <> 0 AND a.expiry < p_now
        ORDER BY a.expiry LIMIT 100 FOR NO KEY UPDATE SKIP LOCKED
    ), freed AS (
      UPDATE fairlane.active_group a SET state = 0 FROM over
        WHERE a.queue = over.queue AND a.group_id = over.group_id
        RETURNING CASE WHEN a.suspended THEN NULL ELSE a.priority END AS priority
    )
    SELECT count(*), max(priority) INTO lapsed, claimable FROM freed;
    RETURN;
  END IF;
  FOR g IN
    SELECT * FROM fairlane.active_group a
      WHERE a.queue = q.id AND a.state <> 0 AND a.expiry < p_now
      ORDER BY a.expiry LIMIT 100 FOR NO KEY UPDATE SKIP LOCKED
  LOOP
    IF g.state = 1 AND g.attempts >= q.max_attempts THEN
      v_left := fairlane.fail_exhausted(q, g, false);
      CONTINUE WHEN v_left < 0;
      IF v_left < 2 THEN
        died := died + 1;
      END IF;
    ELSE
      UPDATE fairlane.active_group a SET state = 0
        WHERE a.queue = g.queue AND a.group_id = g.group_id;
      v_left := 1;
    END IF;
    lapsed := lapsed + 1;
    IF v_left = 1 AND NOT g.suspended THEN
      claimable := greatest(claimable, g.priority);
    END IF;
  END LOOP;
  IF q.max_messages > 0 AND died > 0 THEN
    UPDATE fairlane.counter c SET messages = c.messages - died WHERE c.queue = q.id;
  END IF;
END $$;

-- Whether something ran out that nobody took note of.
-- (Not in SQL: such a function that reads a table is parsed and planned anew in each transaction.)
CREATE FUNCTION fairlane.ran_out(p_queue int, p_now bigint) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  RETURN EXISTS (SELECT FROM fairlane.active_group a
                   WHERE a.queue = p_queue AND a.state <> 0 AND a.expiry < p_now);
END $$;

-- Whether anybody can ever wait for room.
CREATE FUNCTION fairlane.is_limited(q fairlane.queue) RETURNS boolean LANGUAGE sql IMMUTABLE AS
$$ SELECT q.max_messages > 0 OR q.max_group_messages > 0 $$;
