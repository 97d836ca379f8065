-- Takes the group in turn, then deletes its first message: two transactions, as a claim and an ack.
UPDATE fairlane_floor.grp SET turn = nextval('fairlane_floor.turn'), messages = messages - 1
  WHERE id = (SELECT id FROM fairlane_floor.grp ORDER BY turn LIMIT 1 FOR UPDATE SKIP LOCKED)
  RETURNING id AS grp \gset
DELETE FROM fairlane_floor.message
  WHERE grp = :grp AND seq = (SELECT seq FROM fairlane_floor.message WHERE grp = :grp
                                ORDER BY seq LIMIT 1);
