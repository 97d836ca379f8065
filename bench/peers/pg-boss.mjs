// pg-boss on PostgreSQL, a queue of the policy key_strict_fifo with the group as its key. Single:
// `send`, then `fetch` and `complete` of one job. Batched: `insert`, `fetch` and `complete` of many.
// Its `work` would wait half a second between fetches, so the loops call these themselves.
import { PgBoss } from "pg-boss";
import { createRequire } from "node:module";
import { batchSize, loops, publishShare, run } from "./workload.mjs";

const { version } = createRequire(import.meta.url)("pg-boss/package.json");

await run(async (url, mode) => {
  const boss = new PgBoss({ connectionString: url, max: 10, schema: `bench_boss_${process.pid}` });
  boss.on("error", (error) => console.error(error.message));
  await boss.start();
  await boss.createQueue("bench", { policy: "key_strict_fifo" });

  return {
    name: "pg-boss",
    version,
    publish: (share, isOver) =>
      publishShare(
        share,
        isOver,
        mode,
        (job) => boss.send("bench", job, { singletonKey: job.group }),
        (batch) =>
          boss.insert("bench", batch.map((job) => ({ data: job, singletonKey: job.group }))),
      ),
    drain: (handle, isOver) =>
      loops(isOver, async () => {
        const size = mode === "single" ? 1 : batchSize;
        const jobs = await boss.fetch("bench", { batchSize: size });
        for (const job of jobs) handle(job.data.group, job.data.n);
        if (jobs.length > 0) await boss.complete("bench", jobs.map((job) => job.id));
        return jobs.length;
      }),
    close: () => boss.stop({ graceful: false }),
  };
});
