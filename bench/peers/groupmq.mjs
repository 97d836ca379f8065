// groupmq on Redis. Single: `add` one by one, four of its workers, each with one job at a time.
// Batched: its automatic batches for publishing, `reserveBatch` for draining. `completeWithMetadata`
// is how its workers complete; `complete` leaves the group blocked.
import { Redis } from "ioredis";
import { Queue, Worker } from "groupmq";
import { createRequire } from "node:module";
import { batchSize, loops, publishShare, run, until, workers } from "./workload.mjs";

const { version } = createRequire(import.meta.url)("groupmq/package.json");

const metadataOf = ({ attempts, maxAttempts }) => {
  const now = Date.now();
  return { processedOn: now, finishedOn: now, attempts, maxAttempts };
};

await run(async (url, mode) => {
  const redis = new Redis(url, { maxRetriesPerRequest: null });
  const autoBatch = mode === "batched" ? { size: batchSize, maxWaitMs: 1 } : false;
  const queue = new Queue({ redis, namespace: `bench-${process.pid}`, autoBatch });
  const add = ({ group, n }) => queue.add({ groupId: group, data: { n }, orderMs: 1 });

  const drainByWorkers = async (handle, isOver) => {
    const handler = async (job) => handle(job.groupId, job.data.n);
    const all = Array.from({ length: workers }, () => new Worker({ queue, handler, concurrency: 1 }));
    for (const worker of all) worker.run();
    await until(isOver);
    await Promise.all(all.map((worker) => worker.close(1000)));
  };
  const drainByBatches = (handle, isOver) =>
    loops(isOver, async () => {
      const jobs = await queue.reserveBatch(batchSize);
      for (const job of jobs) handle(job.groupId, job.data.n);
      await Promise.all(jobs.map((job) => queue.completeWithMetadata(job, null, metadataOf(job))));
      return jobs.length;
    });

  return {
    name: "groupmq",
    version,
    publish: (share, isOver) =>
      publishShare(share, isOver, mode, add, (batch) => Promise.all(batch.map(add))),
    drain: mode === "single" ? drainByWorkers : drainByBatches,
    close: () => redis.quit(),
  };
});
