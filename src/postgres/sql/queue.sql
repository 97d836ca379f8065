-- Opening a queue, and its rules.

-- Finds or makes a queue; with the rights of the schema's owner, since a queue has a sequence of
-- its own, so that a role that may create nothing can open a new queue.
CREATE FUNCTION fairlane.create_queue(p_name bytea) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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

-- A rule that is NULL is the stored one of a queue that exists, else the default, 0. `fits` false:
-- the queue has other rules, and they were not to be changed.
CREATE FUNCTION fairlane.call_open(p_name bytea, p_rotation int, p_when_exhausted int,
                                   p_max_attempts bigint, p_max_messages bigint,
                                   p_max_group_messages bigint, p_max_event_bytes bigint,
                                   p_change boolean,
                                   OUT queue int, OUT store bigint, OUT server_now bigint,
                                   OUT fits boolean)
LANGUAGE plpgsql AS $$
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

-- Waits until no call is under way that goes by the old rules, and no transaction is open that
-- published by them; later ones wait for this one.
CREATE FUNCTION fairlane.change_queue(w fairlane.queue) RETURNS void LANGUAGE plpgsql AS $$
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
