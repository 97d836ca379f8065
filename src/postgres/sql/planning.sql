-- Every statement goes by an index, whatever the server last knew about the size of the tables: a
-- queue is empty one minute and holds a million groups the next, and plans are kept meanwhile.
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
