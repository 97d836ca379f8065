-- Claims and acks.

-- Acks, then claims, at one instant. A claim takes the first group that is still as it was read and
-- that nobody works on; what somebody works on is left out. It answers nothing only if a look finds
-- nothing that others work on either.
CREATE FUNCTION fairlane.call_work(
  p_queue int, p_groups bytea[], p_fences bigint[],          -- acks, in this order; may be none
  p_count int, p_worker bytea, p_visibility bigint, p_floor int,  -- then so many claims
  p_further boolean,                                         -- and look what is left to claim
  p_now bigint,
  OUT status int, OUT died bigint, OUT claimable int, OUT room boolean, OUT more int,
  OUT server_now bigint, OUT settled boolean[],
  OUT group_ids bytea[], OUT events bytea[], OUT seqs bigint[], OUT attempts int[],
  OUT fences bigint[], OUT expiry bigint)
LANGUAGE plpgsql AS $$
DECLARE
  q fairlane.queue;
  g fairlane.active_group;
  c record;
  v_rotation int;
  v_most_attempts bigint;
  v_limited boolean;
  v_ran_out boolean;
  v_key bigint;           -- of the group to ack
  v_old_head bigint;
  v_old_priority int;     -- NULL: it is suspended
  v_last boolean;         -- it ran out on its last attempt
  v_one bytea;
  v_acks int := cardinality(p_groups);
  v_gone int := 0;        -- messages that the acks removed
  v_lapsed int;
  v_died bigint;
  v_claimable int;
  v_left int;
  v_found int := 0;
  v_floor int;
  v_busy bigint[] := '{}';  -- heads that others work on
  v_highest int;          -- priority in use
  v_priority int;         -- the first of a priority
  v_next_turn bigint;
  v_next_head bigint;
  v_next_group bytea;
  v_turn bigint;          -- the first of them all
  v_head bigint;
  v_group bytea;
  v_fence bigint;
  v_attempts int;
  v_event bytea;
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    PERFORM fairlane.refuse_isolation();
  END IF;
  IF current_setting('plan_cache_mode') <> 'force_generic_plan' THEN
    PERFORM fairlane.plan_by_index();
  END IF;
  IF pg_advisory_xact_lock_shared(fairlane.rules_lock(p_queue)) IS NOT NULL THEN
    server_now := coalesce(p_now, fairlane.now_ns());
  END IF;
  room := false;
  v_one := CASE WHEN v_acks = 1 THEN p_groups[1] END;
  -- The rules, and the lease to ack, which is locked.
  SELECT f.rotation, f.max_attempts, f.max_messages > 0 OR f.max_group_messages > 0,
         (p_count > 0 OR f.max_attempts > 0) AND EXISTS (
           SELECT FROM fairlane.active_group e
             WHERE e.queue = p_queue AND e.state <> 0 AND e.expiry < server_now),
         l.key, l.head_seq, CASE WHEN NOT l.suspended THEN l.priority END,
         f.max_attempts > 0 AND l.state = 1 AND l.attempts >= f.max_attempts
           AND l.expiry < server_now
    INTO v_rotation, v_most_attempts, v_limited, v_ran_out, v_key, v_old_head, v_old_priority,
         v_last
    FROM fairlane.queue f
    LEFT JOIN LATERAL (
      SELECT a.key, a.head_seq, a.suspended, a.priority, a.state, a.attempts, a.expiry
        FROM fairlane.active_group a
        WHERE a.queue = p_queue AND a.group_id = v_one AND a.fence = p_fences[1]
        FOR NO KEY UPDATE) l ON true
    WHERE f.id = p_queue;
  IF v_rotation IS NULL THEN
    PERFORM fairlane.refuse_queue();
  END IF;
  IF v_ran_out OR v_limited OR v_acks > 1 OR p_count > 1 OR v_last THEN
    SELECT * INTO q FROM fairlane.queue f WHERE f.id = p_queue;
  END IF;
  IF v_ran_out THEN
    SELECT * INTO v_lapsed, died, claimable FROM fairlane.lapse(q, server_now);
    IF v_lapsed > 0 THEN
      status := 1;
      room := v_limited AND died > 0;
      RETURN;
    END IF;
  END IF;

  IF v_acks = 1 THEN
    IF v_key IS NULL THEN
      settled := '{f}';
    ELSIF v_last THEN
      settled := '{f}';
      SELECT * INTO g FROM fairlane.active_group a
        WHERE a.queue = p_queue AND a.group_id = v_one;
      v_left := fairlane.fail_exhausted(q, g, true);
      v_gone := CASE WHEN v_left < 2 THEN 1 ELSE 0 END;
      died := v_gone;
    ELSE
      settled := '{t}';
      v_gone := 1;
      v_left := 1;
      -- As remove_head, where another message follows. It is looked for once the record is locked.
      WITH next AS MATERIALIZED (
        SELECT m.seq FROM fairlane.message m
          WHERE m.group_key = v_key AND m.seq > v_old_head ORDER BY m.seq LIMIT 1
      ), removed AS (
        DELETE FROM fairlane.message m USING next
          WHERE m.group_key = v_key AND m.seq = v_old_head
      )
      UPDATE fairlane.active_group a
        SET head_seq = next.seq, attempts = 0, state = 0, fence = 0
        FROM next WHERE a.queue = p_queue AND a.group_id = v_one;
      IF NOT FOUND THEN
        SELECT * INTO g FROM fairlane.active_group a
          WHERE a.queue = p_queue AND a.group_id = v_one;
        v_left := fairlane.remove_head(g, true);
      END IF;
    END IF;
    IF v_left = 1 THEN
      claimable := v_old_priority;
    END IF;
  ELSIF v_acks > 1 THEN
    SELECT b.settled, b.acked, b.claimable INTO settled, v_gone, claimable
      FROM fairlane.ack_many(q, p_groups, p_fences, server_now) b;
  END IF;

  WHILE v_found < p_count LOOP
    IF p_count > 1 THEN
      SELECT * INTO c FROM fairlane.claim_many(q, p_count, p_worker, p_visibility, p_floor,
                                               server_now);
      v_found := cardinality(c.seqs);
      group_ids := c.group_ids;
      events := c.events;
      seqs := c.seqs;
      attempts := c.attempts;
      fences := c.fences;
      v_busy := c.busy;
      EXIT WHEN v_found > 0;
    ELSE
      v_fence := fairlane.new_fence();
      -- With one priority in use, as mostly, the first that nobody works on. A few are looked at, in
      -- their order, since the first ones are just what others claim now.
      UPDATE fairlane.active_group a
        SET state = 1, attempts = a.attempts + 1, last_claimed_at = server_now,
            turn = CASE v_rotation WHEN 0 THEN server_now
                                   ELSE nextval('fairlane.ticket') END,
            expiry = fairlane.later(server_now, p_visibility), fence = v_fence,
            worker_id = p_worker
        FROM (SELECT l.place
                FROM (SELECT b.group_id, b.turn, b.head_seq FROM fairlane.active_group b
                        WHERE b.queue = p_queue AND b.priority >= p_floor AND b.state = 0
                          AND NOT b.suspended
                          AND NOT EXISTS (
                            SELECT FROM fairlane.active_group o
                              WHERE o.queue = p_queue AND o.priority >= p_floor AND o.state = 0
                                AND NOT o.suspended AND o.priority < (
                                  SELECT h.priority FROM fairlane.active_group h
                                    WHERE h.queue = p_queue AND h.state = 0 AND NOT h.suspended
                                    ORDER BY h.priority DESC LIMIT 1))
                        ORDER BY b.priority, b.turn, b.head_seq LIMIT 16) f,
                     LATERAL (SELECT b.ctid AS place FROM fairlane.active_group b
                                WHERE b.queue = p_queue AND b.group_id = f.group_id
                                  AND b.turn = f.turn AND b.head_seq = f.head_seq
                                  AND b.state < 1 AND NOT b.suspended
                                FOR NO KEY UPDATE SKIP LOCKED) l
                LIMIT 1) first
        WHERE a.ctid = first.place
        RETURNING a.group_id, a.head_seq, a.attempts,
                  (SELECT m.event FROM fairlane.message m
                     WHERE m.group_key = a.key AND m.seq = a.head_seq)
        INTO v_group, v_head, v_attempts, v_event;
      IF FOUND THEN
        v_found := 1;
        group_ids := ARRAY[v_group];
        events := ARRAY[v_event];
        seqs := ARRAY[v_head];
        attempts := ARRAY[v_attempts];
        fences := ARRAY[v_fence];
        EXIT;
      END IF;
      -- The first of each priority in use; among them the rotation alone decides.
      v_group := NULL;
      v_floor := p_floor;
      LOOP
        SELECT a.priority, a.turn, a.head_seq, a.group_id,
               (SELECT b.priority FROM fairlane.active_group b
                  WHERE b.queue = p_queue AND b.state = 0 AND NOT b.suspended
                  ORDER BY b.priority DESC LIMIT 1)
          INTO v_priority, v_next_turn, v_next_head, v_next_group, v_highest
          FROM fairlane.active_group a
          WHERE a.queue = p_queue AND a.priority >= v_floor AND a.state = 0 AND NOT a.suspended
            AND a.head_seq <> ALL (v_busy)
          ORDER BY a.priority, a.turn, a.head_seq LIMIT 1;
        EXIT WHEN NOT FOUND;
        IF v_group IS NULL OR v_next_turn < v_turn
           OR (v_next_turn = v_turn AND v_next_head < v_head) THEN
          v_group := v_next_group;
          v_turn := v_next_turn;
          v_head := v_next_head;
        END IF;
        EXIT WHEN v_priority >= v_highest;
        v_floor := v_priority + 1;
      END LOOP;
      IF v_group IS NOT NULL THEN
        UPDATE fairlane.active_group a
          SET state = 1, attempts = a.attempts + 1, last_claimed_at = server_now,
              turn = CASE v_rotation WHEN 0 THEN server_now
                                     ELSE nextval('fairlane.ticket') END,
              expiry = fairlane.later(server_now, p_visibility), fence = v_fence,
              worker_id = p_worker
          WHERE a.queue = p_queue AND a.group_id = (
            SELECT b.group_id FROM fairlane.active_group b
              WHERE b.queue = p_queue AND b.group_id = v_group AND b.state < 1
                AND NOT b.suspended AND b.turn = v_turn AND b.head_seq = v_head
              FOR NO KEY UPDATE SKIP LOCKED)
          RETURNING a.attempts, (SELECT m.event FROM fairlane.message m
                                 WHERE m.group_key = a.key AND m.seq = a.head_seq)
          INTO v_attempts, v_event;
        IF NOT FOUND THEN
          v_busy := v_busy || v_head;
          CONTINUE;
        END IF;
        v_found := 1;
        group_ids := ARRAY[v_group];
        events := ARRAY[v_event];
        seqs := ARRAY[v_head];
        attempts := ARRAY[v_attempts];
        fences := ARRAY[v_fence];
        EXIT;
      END IF;
    END IF;

    IF q.id IS NULL THEN
      SELECT * INTO q FROM fairlane.queue f WHERE f.id = p_queue;
    END IF;
    -- Nothing was got. Is there something all the same that others work on, or that ran out? Then
    -- wait for them, and look again.
    SELECT a.group_id INTO c FROM fairlane.active_group a
      WHERE a.queue = p_queue AND a.priority >= p_floor AND a.state = 0 AND NOT a.suspended
      ORDER BY a.priority, a.turn, a.head_seq LIMIT 1;
    IF NOT FOUND THEN
      SELECT a.group_id INTO c FROM fairlane.active_group a
        WHERE a.queue = p_queue AND a.state <> 0 AND a.expiry < server_now
          AND NOT a.suspended AND a.priority >= p_floor
          AND (v_most_attempts = 0 OR a.state = 2 OR a.attempts < v_most_attempts
               OR (q.when_exhausted = 0 AND EXISTS (
                 SELECT FROM fairlane.message m
                   WHERE m.group_key = a.key AND m.seq > a.head_seq)))
        LIMIT 1;
      EXIT WHEN NOT FOUND;
    END IF;
    PERFORM 1 FROM fairlane.active_group a
      WHERE a.queue = p_queue AND a.group_id = c.group_id FOR NO KEY UPDATE;
    v_busy := '{}';
    server_now := coalesce(p_now, fairlane.now_ns());
    SELECT * INTO v_lapsed, v_died, v_claimable FROM fairlane.lapse(q, server_now);
    died := coalesce(died, 0) + v_died;
    room := room OR (v_limited AND v_died > 0);
    claimable := greatest(claimable, v_claimable);
  END LOOP;

  IF v_found > 0 THEN
    expiry := fairlane.later(server_now, p_visibility);
  END IF;
  IF p_further THEN
    SELECT a.priority INTO more FROM fairlane.active_group a
      WHERE a.queue = p_queue AND a.state = 0 AND NOT a.suspended
      ORDER BY a.priority DESC LIMIT 1;
  END IF;
  IF v_gone > 0 THEN
    room := v_limited;
    IF v_limited AND q.max_messages > 0 THEN
      UPDATE fairlane.counter n SET messages = n.messages - v_gone WHERE n.queue = p_queue;
    END IF;
  END IF;
  status := 0;
END $$;
