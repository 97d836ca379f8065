// The same workload for every peer: `jobs` jobs over `groups` groups are published, then drained by
// four workers that do nothing but look whether each group came in order.
//
//   node PEER.mjs URL single|batched [--jobs N] [--groups N] [--seconds S]
//
// prints one line of JSON. What is not done after S seconds, publishing and draining each, is left:
// the rates count what was.
import { performance } from "node:perf_hooks";
import { parseArgs } from "node:util";

export const workers = 4;
export const batchSize = 50;

/** Runs a peer: an object with `name` and `version`, and these, which may be asynchronous:
 *  `publish(jobs)`: one worker's share, a job being `{group, n}`, in order; `batch` says how.
 *  `drain(handle, isOver)`: hands each job to `handle(group, n)` until `isOver()`.
 *  `close()`. */
export async function run(open) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      jobs: { type: "string", default: "5000" },
      groups: { type: "string", default: "500" },
      seconds: { type: "string", default: "20" },
    },
  });
  const [url, mode] = positionals;
  if (!url || !["single", "batched"].includes(mode)) {
    console.error("usage: node PEER.mjs URL single|batched [--jobs N] [--groups N] [--seconds S]");
    process.exit(2);
  }
  const [jobs, groups, seconds] = [values.jobs, values.groups, values.seconds].map(Number);
  const peer = await open(url, mode);
  const published = await publish(peer, jobs, groups, seconds);
  const drained = await drain(peer, published.count, seconds);
  await peer.close();
  const result = {
    peer: peer.name,
    version: peer.version,
    mode,
    jobs: published.count,
    groups,
    workers,
    publish_per_second: Math.round(published.count / published.seconds),
    drained: drained.count,
    drain_per_second: Math.round(drained.count / drained.seconds),
    out_of_order: drained.outOfOrder,
  };
  console.log(JSON.stringify(result));
  // Timers and connections that a peer keeps are no reason to stay.
  process.exit(drained.outOfOrder === 0 && drained.count > 0 ? 0 : 1);
}

/** Each of four publishers has its own groups, so that order is a matter of the peer alone. */
async function publish(peer, jobs, groups, seconds) {
  const end = performance.now() + seconds * 1000;
  const isOver = () => performance.now() >= end;
  const begin = performance.now();
  const counts = await Promise.all(
    Array.from({ length: workers }, async (_, worker) => {
      const share = [];
      for (let i = 0; i < jobs; ++i) {
        const group = i % groups;
        if (group % workers === worker) share.push({ group: `g${group}`, n: Math.floor(i / groups) });
      }
      return peer.publish(share, isOver);
    }),
  );
  const count = counts.reduce((sum, each) => sum + each, 0);
  return { count, seconds: (performance.now() - begin) / 1000 };
}

async function drain(peer, expected, seconds) {
  const next = new Map();
  let count = 0;
  let outOfOrder = 0;
  const begin = performance.now();
  const end = begin + seconds * 1000;
  let finished = begin;
  const handle = (group, n) => {
    if (n !== (next.get(group) ?? 0)) ++outOfOrder;
    next.set(group, n + 1);
    ++count;
    finished = performance.now();
  };
  await peer.drain(handle, () => count >= expected || performance.now() >= end);
  return { count, outOfOrder, seconds: (finished - begin) / 1000 };
}

/** Publishes one after the other, or `batchSize` at a time; says how many. */
export async function publishShare(share, isOver, mode, publishOne, publishMany) {
  let count = 0;
  while (count < share.length && !isOver()) {
    if (mode === "single") {
      await publishOne(share[count]);
      ++count;
    } else {
      const batch = share.slice(count, count + batchSize);
      await publishMany(batch);
      count += batch.length;
    }
  }
  return count;
}

/** Looks every few milliseconds, for peers whose workers run by themselves. */
export async function until(isOver) {
  while (!isOver()) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** Four loops of fetching and finishing, for peers that have calls for that. */
export async function loops(isOver, step) {
  await Promise.all(
    Array.from({ length: workers }, async () => {
      while (!isOver()) {
        if ((await step()) === 0) await new Promise((resolve) => setTimeout(resolve, 1));
      }
    }),
  );
}
