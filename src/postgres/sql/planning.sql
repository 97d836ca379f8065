-- Every statement goes by an index, whatever the server last knew about the size of the tables: a
-- queue is empty one minute and holds a million groups the next, and plans are kept meanwhile. What
-- is set here cannot keep a join from reading a whole queue by an index while it is small. So a
-- list is never joined to a queue: each of its groups is looked up alone (LATERAL with a lock or
-- OFFSET 0, or by a queue's number that comes out of the list itself), and by the primary key
-- (state < 1 where the index of the claimable ones shall not serve).
DO $$
DECLARE
  f regprocedure;
BEGIN
  FOR f IN
    SELECT p.oid FROM pg_proc p
      JOIN pg_language l ON l.oid = p.prolang AND l.lanname = 'plpgsql'
      WHERE p.pronamespace = 'fairlane'::regnamespace
        AND p.proname NOT IN ('enter', 'create_queue', 'refuse')
  LOOP
    EXECUTE format('ALTER FUNCTION %s SET enable_seqscan = off SET enable_bitmapscan = off '
                   'SET enable_hashjoin = off SET enable_mergejoin = off '
                   'SET plan_cache_mode = force_generic_plan SET jit = off', f);
  END LOOP;
END $$;
