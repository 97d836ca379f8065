-- What fairlane.plan_by_index sets, for what does not begin with fairlane.enter, and for the calls
-- within a transaction of the caller's, whose own statements shall be planned as ever. It cannot keep
-- a join from reading a whole queue by an index while it is small. So a list is never joined to a
-- queue: each of its groups is looked up alone (LATERAL with a lock or OFFSET 0, or by a queue's
-- number that comes out of the list itself), and by the primary key (state < 1 where the index of
-- the claimable ones shall not serve).
DO $$
DECLARE
  f regprocedure;
BEGIN
  FOR f IN
    SELECT p.oid FROM pg_proc p
      WHERE p.pronamespace = 'fairlane'::regnamespace
        AND p.proname IN ('publish', 'publish_batch', 'call_open', 'call_look', 'call_tell')
  LOOP
    EXECUTE format('ALTER FUNCTION %s SET enable_seqscan = off SET enable_bitmapscan = off '
                   'SET enable_hashjoin = off SET enable_mergejoin = off '
                   'SET plan_cache_mode = force_generic_plan SET jit = off', f);
  END LOOP;
END $$;
