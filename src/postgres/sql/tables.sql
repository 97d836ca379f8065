-- The tables. Instants and durations are nanoseconds; bytes of users stand in bytea: they may hold
-- anything. The words are those of docs/contract.md.
CREATE SCHEMA fairlane;

CREATE TABLE fairlane.version (version int NOT NULL);
INSERT INTO fairlane.version VALUES (1);

-- The keys of groups, and the places in the line of `ready_order`.
CREATE SEQUENCE fairlane.ticket;
CREATE SEQUENCE fairlane.queue_id AS int;

-- Every call reads its queue's record, and none writes it. A limit of 0 or less is no limit.
CREATE TABLE fairlane.queue (
  id int PRIMARY KEY,
  name bytea NOT NULL UNIQUE,
  store bigint NOT NULL,        -- the identity that leases carry
  seq regclass NOT NULL,        -- where the queue's seqs come from
  rotation int NOT NULL,        -- 0 oldest_claim_first, 1 ready_order
  when_exhausted int NOT NULL,  -- 0 dead_letter, 1 suspend_group
  max_attempts bigint NOT NULL,
  max_messages bigint NOT NULL,
  max_group_messages bigint NOT NULL,
  max_event_bytes bigint NOT NULL
);

-- The queued messages of a queue, counted only while max_messages is set.
CREATE TABLE fairlane.counter (queue int PRIMARY KEY, messages bigint NOT NULL)
  WITH (fillfactor = 10);

-- A group's record is there as long as it holds messages. Only its head can be in flight, so the
-- lease is the record's, and so are the attempts: a message behind the head was never claimed. It
-- counts no messages, so that a publish into an active group changes nothing of it.
CREATE TABLE fairlane.active_group (
  key bigint NOT NULL,      -- what its messages are stored under
  last_claimed_at bigint NOT NULL,
  turn bigint NOT NULL,     -- the rotation's key: last_claimed_at, or the place in line
  head_seq bigint NOT NULL,
  expiry bigint NOT NULL,   -- of the lease or park: its last instant
  fence bigint NOT NULL,    -- of the current lease, 0: none; outlives an expiry
  queue int NOT NULL,
  priority int NOT NULL,
  attempts int NOT NULL,
  state smallint NOT NULL,  -- 0 free, 1 leased, 2 parked
  suspended boolean NOT NULL,
  group_id bytea NOT NULL,
  worker_id bytea NOT NULL,
  PRIMARY KEY (queue, group_id)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000,
        autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0.2);
CREATE INDEX claimable ON fairlane.active_group (queue, priority, turn, head_seq)
  WHERE state = 0 AND NOT suspended;
CREATE INDEX in_flight ON fairlane.active_group (queue, expiry) WHERE state <> 0;

CREATE TABLE fairlane.message (
  group_key bigint NOT NULL,
  seq bigint NOT NULL,
  published_at bigint NOT NULL,
  event bytea NOT NULL,
  PRIMARY KEY (group_key, seq)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 5000,
        autovacuum_vacuum_cost_delay = 0, autovacuum_vacuum_insert_scale_factor = 0.2);

CREATE TABLE fairlane.suspended (
  queue int NOT NULL,
  group_id bytea NOT NULL,
  PRIMARY KEY (queue, group_id)
);

CREATE TABLE fairlane.dead (
  queue int NOT NULL,
  seq bigint NOT NULL,
  group_id bytea NOT NULL,
  event bytea NOT NULL,
  attempts int NOT NULL,
  priority int NOT NULL,
  worker_id bytea NOT NULL,
  reason bytea NOT NULL,
  PRIMARY KEY (queue, seq)
);

-- The processes that wait. It is of no use after a crash of the server: they register anew.
CREATE UNLOGGED TABLE fairlane.waiter (
  queue int NOT NULL,
  pid int NOT NULL,         -- of the connection that listens
  min_priority int,         -- the lowest floor of those who wait to claim; NULL: nobody does
  room boolean NOT NULL,    -- somebody waits to publish
  until timestamptz NOT NULL,
  PRIMARY KEY (queue, pid)
) WITH (fillfactor = 50);
