// graphile-worker on PostgreSQL, a named queue for each group. Single: `addJob`, four concurrent
// jobs, each fetched and completed alone. Batched: `addJobs`, a local queue, completion in batches.
import { Logger, makeWorkerUtils, run as runWorker } from "graphile-worker";
import { createRequire } from "node:module";
import { batchSize, publishShare, run, until, workers } from "./workload.mjs";

const { version } = createRequire(import.meta.url)("graphile-worker/package.json");
const logger = new Logger(() => () => {});

await run(async (url, mode) => {
  const common = {
    connectionString: url,
    maxPoolSize: 10,
    logger,
    schema: `bench_graphile_${process.pid}`,
  };
  const utils = await makeWorkerUtils(common);
  await utils.migrate();
  const batching =
    mode === "batched" ? { localQueue: { size: batchSize }, completeJobBatchDelay: 0 } : {};

  return {
    name: "graphile-worker",
    version,
    publish: (share, isOver) =>
      publishShare(
        share,
        isOver,
        mode,
        (job) => utils.addJob("note", job, { queueName: job.group }),
        (batch) =>
          utils.addJobs(
            batch.map((job) => ({ identifier: "note", payload: job, queueName: job.group })),
          ),
      ),
    drain: async (handle, isOver) => {
      const runner = await runWorker({
        ...common,
        noHandleSignals: true,
        preset: { worker: { concurrentJobs: workers, ...batching } },
        taskList: { note: async ({ group, n }) => handle(group, n) },
      });
      await until(isOver);
      await runner.stop();
    },
    close: () => utils.release(),
  };
});
