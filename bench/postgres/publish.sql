-- Publishes with bare statements: the group is made or counted up, and the message is inserted; in
-- one transaction and one round trip. Variable: notify, 1 or 0.
\set g random(0, 999)
\startpipeline
INSERT INTO fairlane_floor.grp VALUES ('case-' || :g, 0, 1)
  ON CONFLICT (id) DO UPDATE SET messages = fairlane_floor.grp.messages + 1;
INSERT INTO fairlane_floor.message
  VALUES ('case-' || :g, nextval('fairlane_floor.seq'), 'event');
\if :notify
SELECT pg_notify('fairlane_floor', '');
\endif
\endpipeline
