-- The least that an ordered queue per key keeps: groups by turn, and messages by group. Variables:
-- groups, backlog.
SET client_min_messages = warning;
DROP SCHEMA IF EXISTS fairlane_floor CASCADE;
CREATE SCHEMA fairlane_floor;
CREATE SEQUENCE fairlane_floor.seq;
CREATE SEQUENCE fairlane_floor.turn;
CREATE TABLE fairlane_floor.grp (id text PRIMARY KEY, turn bigint NOT NULL, messages bigint NOT NULL);
CREATE INDEX ON fairlane_floor.grp (turn);
CREATE TABLE fairlane_floor.message (grp text, seq bigint, event bytea, PRIMARY KEY (grp, seq));
INSERT INTO fairlane_floor.grp
  SELECT 'case-' || g, nextval('fairlane_floor.turn'), 0 FROM generate_series(0, :groups - 1) g;
INSERT INTO fairlane_floor.message
  SELECT 'case-' || n % :groups, nextval('fairlane_floor.seq'), 'event'
    FROM generate_series(0, :backlog - 1) n;
ANALYZE fairlane_floor.grp, fairlane_floor.message;
