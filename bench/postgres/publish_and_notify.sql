-- publish.sql, and a notification in the same transaction.
\set g random(0, 999)
\startpipeline
INSERT INTO fairlane_floor.grp VALUES ('case-' || :g, 0, 1)
  ON CONFLICT (id) DO UPDATE SET messages = fairlane_floor.grp.messages + 1;
INSERT INTO fairlane_floor.message
  VALUES ('case-' || :g, nextval('fairlane_floor.seq'), 'event');
SELECT pg_notify('fairlane_floor', '');
\endpipeline
