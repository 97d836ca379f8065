-- Claims and acks of many at once.

-- Acks of many leases, as single ones in this order. Of a lease given twice the first is done, the
-- second stale.
CREATE FUNCTION fairlane.ack_many(q fairlane.queue, p_groups bytea[], p_fences bigint[],
                                  p_now bigint,
                                  OUT settled boolean[], OUT acked int, OUT claimable int)
LANGUAGE plpgsql AS $$
DECLARE
  v_groups bytea[];
  v_keys bigint[];
  v_heads bigint[];
  v_places bigint[];
  v_place bigint;
  v_claimable int;
  v_rest bytea[];
BEGIN
  SELECT coalesce(array_agg(a.group_id), '{}'), array_agg(a.key), array_agg(a.head_seq),
         coalesce(array_agg(l.place), '{}')
    INTO v_groups, v_keys, v_heads, v_places
    FROM (SELECT u.group_id, u.fence, min(u.ord) AS place
            FROM unnest(p_groups, p_fences) WITH ORDINALITY AS u(group_id, fence, ord)
            GROUP BY u.group_id, u.fence ORDER BY u.group_id, u.fence OFFSET 0) l,
         LATERAL (SELECT * FROM fairlane.active_group b
                    WHERE b.queue = q.id AND b.group_id = l.group_id AND b.fence = l.fence
                      AND NOT (q.max_attempts > 0 AND b.state = 1
                               AND b.attempts >= q.max_attempts AND b.expiry < p_now)
                    FOR NO KEY UPDATE) a;
  acked := cardinality(v_groups);
  settled := array_fill(false, ARRAY[cardinality(p_groups)]);
  FOREACH v_place IN ARRAY v_places LOOP
    settled[v_place] := true;
  END LOOP;
  IF acked = 0 THEN
    RETURN;
  END IF;
  DELETE FROM fairlane.message m WHERE m.ctid = ANY (ARRAY(
    SELECT f.place FROM unnest(v_keys, v_heads) AS u(key, head),
      LATERAL (SELECT o.ctid AS place FROM fairlane.message o
                 WHERE o.group_key = u.key AND o.seq = u.head OFFSET 0) f));
  SELECT * INTO claimable, v_rest FROM fairlane.advance_many(q, v_groups);
  IF v_rest IS NOT NULL THEN
    -- As remove_head: who publishes into them is waited for, and then looked for again.
    PERFORM 1 FROM (SELECT r FROM unnest(v_rest) r ORDER BY r OFFSET 0) u,
      LATERAL (SELECT FROM fairlane.active_group b
                 WHERE b.queue = q.id AND b.group_id = u.r FOR UPDATE) a;
    SELECT * INTO v_claimable, v_rest FROM fairlane.advance_many(q, v_rest);
    claimable := greatest(claimable, v_claimable);
    DELETE FROM fairlane.active_group a
      USING (SELECT q.id AS queue, r FROM unnest(v_rest) r OFFSET 0) u
      WHERE a.queue = u.queue AND a.group_id = u.r;
  END IF;
END $$;

-- Makes the first message of each of these locked groups its head; `rest` are those without one.
CREATE FUNCTION fairlane.advance_many(q fairlane.queue, p_groups bytea[],
                                      OUT claimable int, OUT rest bytea[])
LANGUAGE plpgsql AS $$
BEGIN
  WITH next AS (
    SELECT a.queue, u.group_id, (SELECT m.seq FROM fairlane.message m
                                   WHERE m.group_key = a.key AND m.seq > a.head_seq
                                   ORDER BY m.seq LIMIT 1) AS seq
      FROM unnest(p_groups) AS u(group_id),
           LATERAL (SELECT b.queue, b.key, b.head_seq FROM fairlane.active_group b
                      WHERE b.queue = q.id AND b.group_id = u.group_id OFFSET 0) a
  ), advanced AS (
    UPDATE fairlane.active_group a SET head_seq = n.seq, attempts = 0, state = 0, fence = 0
      FROM next n
      WHERE a.queue = n.queue AND a.group_id = n.group_id AND n.seq IS NOT NULL
      RETURNING CASE WHEN a.suspended THEN NULL ELSE a.priority END AS priority
  )
  SELECT (SELECT max(priority) FROM advanced),
         (SELECT array_agg(n.group_id) FROM next n WHERE n.seq IS NULL)
    INTO claimable, rest;
END $$;

-- As many claims at one instant; `busy` are the heads of groups that others work on.
CREATE FUNCTION fairlane.claim_many(q fairlane.queue, p_count int, p_worker bytea,
                                    p_visibility bigint, p_floor int, p_now bigint,
                                    OUT group_ids bytea[], OUT events bytea[], OUT seqs bigint[],
                                    OUT attempts int[], OUT fences bigint[], OUT busy bigint[])
LANGUAGE plpgsql AS $$
DECLARE
  v_priorities int[] := '{}';
  v_priority int := p_floor;
  v_groups bytea[];
  v_turns bigint[];
  v_heads bigint[];
  got record;
BEGIN
  group_ids := '{}';
  events := '{}';
  seqs := '{}';
  attempts := '{}';
  fences := '{}';
  busy := '{}';
  LOOP
    SELECT a.priority INTO v_priority FROM fairlane.active_group a
      WHERE a.queue = q.id AND a.priority >= v_priority AND a.state = 0 AND NOT a.suspended
      ORDER BY a.priority, a.turn, a.head_seq LIMIT 1;
    EXIT WHEN NOT FOUND;
    v_priorities := v_priorities || v_priority;
    EXIT WHEN v_priority = 2147483647;
    v_priority := v_priority + 1;
  END LOOP;
  WHILE cardinality(seqs) < p_count LOOP
    SELECT array_agg(x.group_id), array_agg(x.turn), array_agg(x.head_seq)
      INTO v_groups, v_turns, v_heads
      FROM (SELECT f.* FROM unnest(v_priorities) AS p(priority),
              LATERAL (SELECT a.group_id, a.turn, a.head_seq FROM fairlane.active_group a
                         WHERE a.queue = q.id AND a.priority = p.priority AND a.state = 0
                           AND NOT a.suspended AND a.head_seq <> ALL (busy)
                         ORDER BY a.turn, a.head_seq LIMIT p_count - cardinality(seqs)) f
              ORDER BY f.turn, f.head_seq LIMIT p_count - cardinality(seqs)) x;
    EXIT WHEN v_groups IS NULL;
    WITH picked AS (
      SELECT a.queue, a.group_id, u.ord
        FROM unnest(v_groups, v_turns, v_heads) WITH ORDINALITY AS u(group_id, turn, head, ord),
             LATERAL (SELECT b.queue, b.group_id FROM fairlane.active_group b
                        WHERE b.queue = q.id AND b.group_id = u.group_id AND b.turn = u.turn
                          AND b.head_seq = u.head AND b.state < 1 AND NOT b.suspended
                        FOR NO KEY UPDATE SKIP LOCKED) a
    ), numbered AS (
      SELECT s.queue, s.group_id, fairlane.new_fence() AS fence,
             CASE q.rotation WHEN 0 THEN p_now ELSE nextval('fairlane.ticket') END AS turn,
             s.ord
        FROM (SELECT * FROM picked ORDER BY ord OFFSET 0) s
    ), taken AS (
      UPDATE fairlane.active_group a
        SET state = 1, attempts = a.attempts + 1, last_claimed_at = p_now,
            turn = n.turn,
            expiry = fairlane.later(p_now, p_visibility), fence = n.fence, worker_id = p_worker
        FROM numbered n
        WHERE a.queue = n.queue AND a.group_id = n.group_id
        RETURNING n.ord, a.group_id, a.head_seq, a.attempts, a.fence,
                  (SELECT m.event FROM fairlane.message m
                     WHERE m.group_key = a.key AND m.seq = a.head_seq) AS event
    )
    SELECT array_agg(t.group_id ORDER BY t.ord) AS group_ids,
           array_agg(t.event ORDER BY t.ord) AS events,
           array_agg(t.head_seq ORDER BY t.ord) AS seqs,
           array_agg(t.attempts ORDER BY t.ord) AS attempts,
           array_agg(t.fence ORDER BY t.ord) AS fences
      INTO got FROM taken t;
    group_ids := group_ids || got.group_ids;
    events := events || got.events;
    seqs := seqs || got.seqs;
    attempts := attempts || got.attempts;
    fences := fences || got.fences;
    -- What was seen and not got others work on; without such, there was no more to see.
    EXIT WHEN cardinality(v_heads) = coalesce(cardinality(got.seqs), 0);
    busy := busy || ARRAY(SELECT h FROM unnest(v_heads) h
                          WHERE got.seqs IS NULL OR h <> ALL (got.seqs));
  END LOOP;
END $$;
