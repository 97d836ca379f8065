SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE SCHEMA fairlane;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE fairlane.queue (
    id integer NOT NULL,
    name bytea NOT NULL,
    store bigint NOT NULL,
    seq regclass NOT NULL,
    rotation integer NOT NULL,
    when_exhausted integer NOT NULL,
    max_attempts bigint NOT NULL,
    max_messages bigint NOT NULL,
    max_group_messages bigint NOT NULL,
    max_event_bytes bigint NOT NULL
);
CREATE FUNCTION fairlane.ack_many(q fairlane.queue, p_groups bytea[], p_fences bigint[], p_now bigint, OUT settled boolean[], OUT acked integer, OUT claimable integer) RETURNS record
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION fairlane.advance_many(q fairlane.queue, p_groups bytea[], OUT claimable integer, OUT rest bytea[]) RETURNS record
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION fairlane.append(q fairlane.queue, p_group bytea, p_event bytea, p_priority integer, p_now bigint, OUT status integer, OUT claimable integer, OUT seq bigint) RETURNS record
    LANGUAGE plpgsql
    AS $$
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
CREATE TABLE fairlane.active_group (
    key bigint NOT NULL,
    last_claimed_at bigint NOT NULL,
    turn bigint NOT NULL,
    head_seq bigint NOT NULL,
    expiry bigint NOT NULL,
    fence bigint NOT NULL,
    queue integer NOT NULL,
    priority integer NOT NULL,
    attempts integer NOT NULL,
    state smallint NOT NULL,
    suspended boolean NOT NULL,
    group_id bytea NOT NULL,
    worker_id bytea NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='2000', autovacuum_vacuum_cost_delay='0', autovacuum_analyze_scale_factor='0.2');
CREATE FUNCTION fairlane.bury(g fairlane.active_group, p_reason bytea, p_wait boolean) RETURNS integer
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION fairlane.call_cancel(p_queue integer, p_group bytea, p_event bytea, p_now bigint, OUT status integer, OUT died bigint, OUT claimable integer, OUT room boolean, OUT detail bigint, OUT dropped bigint, OUT seq bigint) RETURNS record
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION fairlane.call_count(p_queue integer, p_now bigint, OUT status integer, OUT died bigint, OUT claimable integer, OUT room boolean, OUT groups bigint, OUT messages bigint, OUT ready bigint, OUT leased bigint, OUT parked bigint, OUT suspended bigint, OUT dead bigint, OUT oldest_age bigint) RETURNS record
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION fairlane.call_dead_letters(p_queue integer, p_after bigint, p_limit bigint, p_now bigint, OUT status integer, OUT died bigint, OUT claimable integer, OUT room boolean, OUT seqs bigint[], OUT group_ids bytea[], OUT events bytea[], OUT attempts integer[], OUT priorities integer[], OUT worker_ids bytea[], OUT reasons bytea[]) RETURNS record
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION fairlane.call_drop_dead(p_queue integer, p_seq bigint, p_now bigint, OUT status integer, OUT died bigint, OUT claimable integer, OUT room boolean, OUT is_found boolean) RETURNS record
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION fairlane.call_groups(p_queue integer, p_suspended boolean, p_after bytea, p_limit bigint, p_now bigint, OUT status integer, OUT died bigint, OUT claimable integer, OUT room boolean, OUT group_ids bytea[]) RETURNS record
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION fairlane.call_inspect(p_queue integer, p_group bytea, p_now bigint, OUT status integer, OUT died bigint, OUT claimable integer, OUT room boolean, OUT suspended boolean, OUT messages bigint, OUT priority integer, OUT last_claimed_at bigint, OUT state integer, OUT expiry bigint, OUT attempts integer, OUT worker_id bytea) RETURNS record
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION fairlane.call_look(p_queue integer, p_pid integer, p_min_priority integer, p_room boolean, p_now bigint, OUT claimable integer, OUT ends_in bigint, OUT server_now bigint) RETURNS record
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS $$
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
CREATE FUNCTION fairlane.call_open(p_name bytea, p_rotation integer, p_when_exhausted integer, p_max_attempts bigint, p_max_messages bigint, p_max_group_messages bigint, p_max_event_bytes bigint, p_change boolean, OUT queue integer, OUT store bigint, OUT server_now bigint, OUT fits boolean) RETURNS record
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS $$
DECLARE
  q fairlane.queue;
  w fairlane.queue;  -- what is wanted
  v_new boolean;
BEGIN
  SELECT * INTO q FROM fairlane.queue f WHERE f.name = p_name;
  v_new := NOT FOUND;
  IF v_new THEN
    PERFORM fairlane.create_queue(p_name);
    -- Another may have made it meanwhile: then its rules hold. This waits until they are set.
    SELECT * INTO q FROM fairlane.queue f WHERE f.name = p_name FOR UPDATE;
    v_new := (SELECT f.xmin::text FROM fairlane.queue f WHERE f.name = p_name)
             = pg_current_xact_id()::xid::text;
  END IF;
  w := q;
  w.rotation := coalesce(p_rotation, q.rotation);
  w.when_exhausted := coalesce(p_when_exhausted, q.when_exhausted);
  w.max_attempts := coalesce(p_max_attempts, q.max_attempts);
  w.max_messages := coalesce(p_max_messages, q.max_messages);
  w.max_group_messages := coalesce(p_max_group_messages, q.max_group_messages);
  w.max_event_bytes := coalesce(p_max_event_bytes, q.max_event_bytes);
  fits := w = q OR v_new OR p_change;
  IF fits AND w <> q THEN
    PERFORM fairlane.change_queue(w);
  END IF;
  queue := q.id;
  store := q.store;
  server_now := fairlane.now_ns();
END $$;
CREATE FUNCTION fairlane.call_peek(p_queue integer, p_group bytea, p_limit bigint, p_now bigint, OUT status integer, OUT died bigint, OUT claimable integer, OUT room boolean, OUT seqs bigint[], OUT events bytea[], OUT attempts integer) RETURNS record
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION fairlane.call_publish(p_queue integer, p_group bytea, p_event bytea, p_priority integer, p_now bigint, OUT status integer, OUT died bigint, OUT claimable integer, OUT room boolean, OUT detail bigint, OUT seqs bigint[]) RETURNS record
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION fairlane.call_publish_batch(p_queue integer, p_groups bytea[], p_events bytea[], p_priorities integer[], p_now bigint, OUT status integer, OUT died bigint, OUT claimable integer, OUT room boolean, OUT detail bigint, OUT seqs bigint[]) RETURNS record
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION fairlane.call_redrive(p_queue integer, p_seq bigint, p_now bigint, OUT status integer, OUT died bigint, OUT claimable integer, OUT room boolean, OUT is_found boolean, OUT seq bigint) RETURNS record
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION fairlane.call_set_suspended(p_queue integer, p_group bytea, p_suspended boolean, p_now bigint, OUT status integer, OUT died bigint, OUT claimable integer, OUT room boolean) RETURNS record
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION fairlane.call_settle(p_queue integer, p_group bytea, p_fence bigint, p_verb integer, p_duration bigint, p_reason bytea, p_now bigint, OUT status integer, OUT died bigint, OUT claimable integer, OUT room boolean, OUT settled boolean) RETURNS record
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION fairlane.call_tell(p_queue integer, p_pid integer, p_claimable integer, p_room boolean, p_short boolean) RETURNS boolean
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS $$
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
CREATE FUNCTION fairlane.call_terminate(p_queue integer, p_group bytea, p_now bigint, OUT status integer, OUT died bigint, OUT claimable integer, OUT room boolean, OUT dropped bigint) RETURNS record
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION fairlane.call_work(p_queue integer, p_groups bytea[], p_fences bigint[], p_count integer, p_worker bytea, p_visibility bigint, p_floor integer, p_further boolean, p_now bigint, OUT status integer, OUT died bigint, OUT claimable integer, OUT room boolean, OUT more integer, OUT server_now bigint, OUT settled boolean[], OUT group_ids bytea[], OUT events bytea[], OUT seqs bigint[], OUT attempts integer[], OUT fences bigint[], OUT expiry bigint) RETURNS record
    LANGUAGE plpgsql
    AS $$
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
        v_fence := fairlane.new_fence();
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
CREATE FUNCTION fairlane.change_queue(w fairlane.queue) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
  q fairlane.queue;
BEGIN
  PERFORM pg_advisory_xact_lock(fairlane.door_lock(w.id));
  PERFORM pg_advisory_xact_lock(fairlane.rules_lock(w.id));
  SELECT * INTO q FROM fairlane.queue f WHERE f.id = w.id FOR UPDATE;
  UPDATE fairlane.queue f
    SET rotation = w.rotation, when_exhausted = w.when_exhausted, max_attempts = w.max_attempts,
        max_messages = w.max_messages, max_group_messages = w.max_group_messages,
        max_event_bytes = w.max_event_bytes
    WHERE f.id = w.id;
  IF w.max_messages > 0 THEN
    INSERT INTO fairlane.counter
      SELECT w.id, (SELECT coalesce(sum((SELECT count(*) FROM fairlane.message m
                                           WHERE m.group_key = a.key)), 0)
                      FROM fairlane.active_group a WHERE a.queue = w.id)
      ON CONFLICT (queue) DO UPDATE SET messages = excluded.messages;
  END IF;
  IF w.rotation = 1 AND q.rotation = 0 THEN
    -- Nobody stood in a line before: they line up as they would have been claimed.
    UPDATE fairlane.active_group a SET turn = l.place
      FROM (SELECT o.queue, o.group_id, nextval('fairlane.ticket') AS place
              FROM (SELECT b.queue, b.group_id FROM fairlane.active_group b WHERE b.queue = w.id
                      ORDER BY b.last_claimed_at, b.head_seq OFFSET 0) o) l
      WHERE a.queue = l.queue AND a.group_id = l.group_id;
  ELSIF w.rotation = 0 AND q.rotation = 1 THEN
    UPDATE fairlane.active_group a SET turn = a.last_claimed_at WHERE a.queue = w.id;
  END IF;
END $$;
CREATE FUNCTION fairlane.claim_many(q fairlane.queue, p_count integer, p_worker bytea, p_visibility bigint, p_floor integer, p_now bigint, OUT group_ids bytea[], OUT events bytea[], OUT seqs bigint[], OUT attempts integer[], OUT fences bigint[], OUT busy bigint[]) RETURNS record
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION fairlane.create_queue(p_name bytea) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'pg_temp'
    AS $$
DECLARE
  v_id int;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('fairlane: who makes a queue' COLLATE "C", 0));
  SELECT q.id INTO v_id FROM fairlane.queue q WHERE q.name = p_name;
  IF FOUND THEN
    RETURN v_id;
  END IF;
  v_id := nextval('fairlane.queue_id');
  EXECUTE format('CREATE SEQUENCE fairlane.%I', 'seq_' || v_id);
  -- Who may use the schema may use it: no other name of the schema's stands open to everyone.
  EXECUTE format('GRANT USAGE ON SEQUENCE fairlane.%I TO PUBLIC', 'seq_' || v_id);
  INSERT INTO fairlane.queue VALUES
    (v_id, p_name,
     ('x' || substr(md5(gen_random_uuid()::text), 1, 16))::bit(64)::bigint & 9223372036854775807,
     format('fairlane.%I', 'seq_' || v_id)::regclass, 0, 0, 0, 0, 0, 0);
  RETURN v_id;
END $$;
CREATE FUNCTION fairlane.door_lock(queue integer) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT hashtextextended('fairlane: who publishes' COLLATE "C", queue) $$;
CREATE FUNCTION fairlane.enter(p_queue integer, p_publishes boolean) RETURNS fairlane.queue
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION fairlane.enter_control(p_queue integer, p_now bigint, OUT q fairlane.queue, OUT v_now bigint, OUT status integer, OUT died bigint, OUT claimable integer, OUT room boolean) RETURNS record
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION fairlane.fail_exhausted(q fairlane.queue, g fairlane.active_group, p_wait boolean) RETURNS integer
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF q.when_exhausted = 0 THEN
    RETURN fairlane.bury(g, '', p_wait);
  END IF;
  INSERT INTO fairlane.suspended VALUES (g.queue, g.group_id) ON CONFLICT DO NOTHING;
  UPDATE fairlane.active_group a SET state = 0, fence = 0, suspended = true
    WHERE a.queue = g.queue AND a.group_id = g.group_id;
  RETURN 2;
END $$;
CREATE FUNCTION fairlane.group_lock(queue integer, group_id bytea) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT hashtextextended(encode(group_id, 'hex') COLLATE "C", queue) $$;
CREATE FUNCTION fairlane.is_limited(q fairlane.queue) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT q.max_messages > 0 OR q.max_group_messages > 0 $$;
CREATE FUNCTION fairlane.lapse(q fairlane.queue, p_now bigint, OUT lapsed integer, OUT died bigint, OUT claimable integer) RETURNS record
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION fairlane.later(instant bigint, by bigint) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT CASE WHEN instant > 0 AND by > 9223372036854775807 - instant
               THEN 9223372036854775807 ELSE instant + by END $$;
CREATE FUNCTION fairlane.make_group(p_queue integer, p_rotation integer, p_group bytea, p_priority integer, p_seq bigint, OUT key bigint, OUT claimable integer) RETURNS record
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION fairlane.new_fence() RETURNS bigint
    LANGUAGE sql
    AS $$ SELECT 1 + (random() * 9007199254740990)::bigint $$;
CREATE FUNCTION fairlane.now_ns() RETURNS bigint
    LANGUAGE sql
    AS $$ SELECT round(date_part('epoch', clock_timestamp()) * 1e6)::bigint * 1000 $$;
CREATE FUNCTION fairlane.plan_by_index() RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
  PERFORM set_config('enable_seqscan', 'off', true), set_config('enable_bitmapscan', 'off', true),
          set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true),
          set_config('jit', 'off', true),
          set_config('plan_cache_mode', 'force_generic_plan', true);
END $$;
CREATE FUNCTION fairlane.publish(queue text, group_id bytea, event bytea, priority integer DEFAULT 0) RETURNS bigint
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS $$
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
CREATE FUNCTION fairlane.publish_batch(queue text, group_ids bytea[], events bytea[], priorities integer[] DEFAULT NULL::integer[]) RETURNS bigint[]
    LANGUAGE plpgsql
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET jit TO 'off'
    AS $$
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
CREATE FUNCTION fairlane.queue_named(queue text) RETURNS integer
    LANGUAGE plpgsql
    AS $$
DECLARE
  v_id int;
BEGIN
  SELECT q.id INTO v_id FROM fairlane.queue q WHERE q.name = convert_to(queue, 'UTF8');
  IF NOT FOUND THEN
    RAISE EXCEPTION 'fairlane has no queue named "%"', queue USING ERRCODE = 'FL002';
  END IF;
  RETURN v_id;
END $$;
CREATE FUNCTION fairlane.ran_out(p_queue integer, p_now bigint) RETURNS boolean
    LANGUAGE plpgsql
    AS $$
BEGIN
  RETURN EXISTS (SELECT FROM fairlane.active_group a
                   WHERE a.queue = p_queue AND a.state <> 0 AND a.expiry < p_now);
END $$;
CREATE FUNCTION fairlane.refuse(p_status integer, p_limit bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
  IF p_status = 2 THEN
    RAISE EXCEPTION 'fairlane: no room in the queue, or in the group' USING ERRCODE = 'FL003';
  ELSIF p_status = 3 THEN
    RAISE EXCEPTION 'fairlane: an event may have at most % bytes', p_limit USING ERRCODE = 'FL004';
  END IF;
END $$;
CREATE FUNCTION fairlane.refuse_isolation() RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
  RAISE EXCEPTION 'fairlane works in READ COMMITTED transactions only' USING ERRCODE = 'FL001';
END $$;
CREATE FUNCTION fairlane.refuse_queue() RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
  RAISE EXCEPTION 'there is no such queue' USING ERRCODE = 'FL002';
END $$;
CREATE FUNCTION fairlane.remove_head(g fairlane.active_group, p_wait boolean) RETURNS integer
    LANGUAGE plpgsql
    AS $$
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
CREATE FUNCTION fairlane.rules_lock(queue integer) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT hashtextextended('fairlane: who goes by the rules' COLLATE "C", queue) $$;
CREATE TABLE fairlane.counter (
    queue integer NOT NULL,
    messages bigint NOT NULL
)
WITH (fillfactor='10');
CREATE TABLE fairlane.dead (
    queue integer NOT NULL,
    seq bigint NOT NULL,
    group_id bytea NOT NULL,
    event bytea NOT NULL,
    attempts integer NOT NULL,
    priority integer NOT NULL,
    worker_id bytea NOT NULL,
    reason bytea NOT NULL
);
CREATE TABLE fairlane.message (
    group_key bigint NOT NULL,
    seq bigint NOT NULL,
    published_at bigint NOT NULL,
    event bytea NOT NULL
)
WITH (autovacuum_vacuum_scale_factor='0.02', autovacuum_vacuum_threshold='5000', autovacuum_vacuum_cost_delay='0', autovacuum_vacuum_insert_scale_factor='0.2');
CREATE SEQUENCE fairlane.queue_id
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE SEQUENCE fairlane.seq_1
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE SEQUENCE fairlane.seq_2
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE TABLE fairlane.suspended (
    queue integer NOT NULL,
    group_id bytea NOT NULL
);
CREATE SEQUENCE fairlane.ticket
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE TABLE fairlane.version (
    version integer NOT NULL
);
CREATE UNLOGGED TABLE fairlane.waiter (
    queue integer NOT NULL,
    pid integer NOT NULL,
    min_priority integer,
    room boolean NOT NULL,
    until timestamp with time zone NOT NULL
)
WITH (fillfactor='50');
INSERT INTO fairlane.active_group VALUES (7, 0, 0, 10, 0, 0, 1, 0, 0, 0, true, '\x77696e646f77', '\x');
INSERT INTO fairlane.active_group VALUES (8, 0, 0, 11, 0, 0, 1, -5, 0, 0, false, '\x626967', '\x');
INSERT INTO fairlane.active_group VALUES (4, 2000000000, 2000000000, 6, 602000000000, 5919356541173502, 1, 0, 1, 1, false, '\x6261746368', '\x776f726b6572206f66207365636f6e64');
INSERT INTO fairlane.active_group VALUES (5, 2000000000, 2000000000, 7, 3002000000000, 0, 1, 0, 1, 2, false, '\x', '\x776f726b6572206f66207061726b6564');
INSERT INTO fairlane.active_group VALUES (3, 6000000000, 6000000000, 4, 606000000000, 0, 1, 3, 1, 0, false, '\x646f6f72', '\x776f726b6572206f6620616761696e');
INSERT INTO fairlane.active_group VALUES (10, 6000000000, 6000000000, 13, 606000000000, 0, 1, 0, 0, 0, false, '\x00ff0a', '\x776f726b6572206f66207468697264');
INSERT INTO fairlane.active_group VALUES (9, 6000000000, 6000000000, 12, 906000000000, 6897855565703029, 1, 0, 2, 1, false, '\x6c617465', '\x776f726b6572206f662068656c64');
INSERT INTO fairlane.active_group VALUES (13, 6000000000, 6000000000, 18, 11000000000, 5787910655154446, 1, 2, 1, 0, false, '\x7265616479', '\x776f726b6572206f66206c6170736564');
INSERT INTO fairlane.active_group VALUES (18, 0, 19, 4, 0, 0, 2, 0, 0, 0, false, '\x63', '\x');
INSERT INTO fairlane.active_group VALUES (20, 0, 21, 5, 0, 0, 2, 0, 0, 0, false, '\x64', '\x');
INSERT INTO fairlane.active_group VALUES (14, 36000000000, 22, 3, 936000000000, 0, 2, 0, 0, 0, false, '\x61', '\x6f662061');
INSERT INTO fairlane.active_group VALUES (16, 36000000000, 23, 2, 936000000000, 0, 2, 0, 1, 0, true, '\x62', '\x6f662062');
INSERT INTO fairlane.counter VALUES (2, 4);
INSERT INTO fairlane.dead VALUES (1, 1, '\x72656a6563746564', '\x6a', 1, 0, '\x776f726b6572206f66206174206f6e6365', '\x');
INSERT INTO fairlane.dead VALUES (1, 2, '\x657868617573746564', '\x78', 2, 4, '\x776f726b6572206f662078207477696365', '\x');
INSERT INTO fairlane.message VALUES (3, 4, 0, '\x636c6f736573');
INSERT INTO fairlane.message VALUES (3, 5, 0, '\x6f70656e7320616761696e');
INSERT INTO fairlane.message VALUES (4, 6, 0, '\x6230');
INSERT INTO fairlane.message VALUES (5, 7, 0, '\x6231');
INSERT INTO fairlane.message VALUES (4, 8, 0, '\x6232');
INSERT INTO fairlane.message VALUES (7, 10, 0, '\x627265616b73');
INSERT INTO fairlane.message VALUES (8, 11, 0, '\x424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242424242');
INSERT INTO fairlane.message VALUES (9, 12, 1000000000, '\x6c31');
INSERT INTO fairlane.message VALUES (10, 13, 6000000000, '\x00fe');
INSERT INTO fairlane.message VALUES (13, 18, 6000000000, '\x7231');
INSERT INTO fairlane.message VALUES (13, 19, 36000000000, '\x7232');
INSERT INTO fairlane.message VALUES (16, 2, 36000000000, '\x62');
INSERT INTO fairlane.message VALUES (14, 3, 36000000000, '\x61');
INSERT INTO fairlane.message VALUES (18, 4, 36000000000, '\x63');
INSERT INTO fairlane.message VALUES (20, 5, 36000000000, '\x64');
INSERT INTO fairlane.queue VALUES (1, '\x64656661756c74', 1523523550099444734, 'fairlane.seq_1', 0, 0, 2, 0, 0, 0);
INSERT INTO fairlane.queue VALUES (2, '\x6c696e65', 9129817185073887578, 'fairlane.seq_2', 1, 1, 1, 7, 3, 9);
INSERT INTO fairlane.suspended VALUES (1, '\x77696e646f77');
INSERT INTO fairlane.suspended VALUES (1, '\x616273656e74');
INSERT INTO fairlane.suspended VALUES (2, '\x62');
INSERT INTO fairlane.version VALUES (1);
SELECT pg_catalog.setval('fairlane.queue_id', 2, true);
SELECT pg_catalog.setval('fairlane.seq_1', 19, true);
SELECT pg_catalog.setval('fairlane.seq_2', 5, true);
SELECT pg_catalog.setval('fairlane.ticket', 23, true);
ALTER TABLE ONLY fairlane.active_group
    ADD CONSTRAINT active_group_pkey PRIMARY KEY (queue, group_id);
ALTER TABLE ONLY fairlane.counter
    ADD CONSTRAINT counter_pkey PRIMARY KEY (queue);
ALTER TABLE ONLY fairlane.dead
    ADD CONSTRAINT dead_pkey PRIMARY KEY (queue, seq);
ALTER TABLE ONLY fairlane.message
    ADD CONSTRAINT message_pkey PRIMARY KEY (group_key, seq);
ALTER TABLE ONLY fairlane.queue
    ADD CONSTRAINT queue_name_key UNIQUE (name);
ALTER TABLE ONLY fairlane.queue
    ADD CONSTRAINT queue_pkey PRIMARY KEY (id);
ALTER TABLE ONLY fairlane.suspended
    ADD CONSTRAINT suspended_pkey PRIMARY KEY (queue, group_id);
ALTER TABLE ONLY fairlane.waiter
    ADD CONSTRAINT waiter_pkey PRIMARY KEY (queue, pid);
CREATE INDEX claimable ON fairlane.active_group USING btree (queue, priority, turn, head_seq) WHERE ((state = 0) AND (NOT suspended));
CREATE INDEX in_flight ON fairlane.active_group USING btree (queue, expiry) WHERE (state <> 0);
GRANT USAGE ON SEQUENCE fairlane.seq_1 TO PUBLIC;
GRANT USAGE ON SEQUENCE fairlane.seq_2 TO PUBLIC;
