// Runs each peer and Fairlane by turns, each run a process of its own, and prints the medians (see
// `run`).
import { spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    jobs: { type: "string", default: "5000" },
    groups: { type: "string", default: "500" },
    seconds: { type: "string", default: "20" },
    repetitions: { type: "string", default: "3" },
    json: { type: "string" },
    fairlane: { type: "string", default: here("../../build/bench/bench/fairlane_bench_peer") },
  },
});
if (!existsSync(values.fairlane)) {
  console.error(`peers: there is no ${values.fairlane}: build the target fairlane_bench_peer`);
  process.exit(1);
}
const onRedis = { server: "Redis", url: process.env.FAIRLANE_TEST_REDIS };
const onPostgres = { server: "PostgreSQL", url: process.env.FAIRLANE_TEST_POSTGRES };
const script = (name) => [process.execPath, here(`${name}.mjs`)];
const peers = [
  { ...onRedis, command: [values.fairlane] },
  { ...onRedis, command: script("groupmq") },
  { ...onPostgres, command: [values.fairlane] },
  { ...onPostgres, command: script("graphile-worker") },
  { ...onPostgres, command: script("pg-boss") },
];

function here(path) {
  return fileURLToPath(new URL(path, import.meta.url));
}

/** A peer that fails or hangs is one row less, not the end of the run. */
function measure({ command: [program, ...before], url }, mode) {
  const bounds = ["jobs", "groups", "seconds"].flatMap((name) => [`--${name}`, values[name]]);
  const done = spawnSync(program, [...before, url, mode, ...bounds], {
    encoding: "utf8",
    timeout: (2 * Number(values.seconds) + 30) * 1000,
    stdio: ["ignore", "pipe", "pipe"],
  });
  try {
    return JSON.parse(done.stdout.trim().split("\n").at(-1));
  } catch {
    const why = done.error?.message ?? `status ${done.status}`;
    console.error(`${[program, ...before].join(" ")} ${mode}: ${why}`);
    console.error(done.stderr.split("\n").slice(0, 10).join("\n"));
    process.exitCode = 1;
    return undefined;
  }
}

const median = (rows, column) => {
  const sorted = rows.map((row) => row[column]).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)];
};

const runs = [];
for (let turn = 0; turn < Number(values.repetitions); ++turn) {
  for (const mode of ["single", "batched"]) {
    for (const peer of peers) {
      const run = measure(peer, mode);
      if (run) runs.push({ server: peer.server, ...run });
    }
  }
}
if (values.json) writeFileSync(values.json, JSON.stringify({ node: process.version, runs }, null, 1));

console.log(`${values.jobs} jobs, ${values.groups} groups, node ${process.version}, medians\n`);
console.log("| server | peer | mode | runs | published/s | drained/s | not drained | out of order |");
console.log("| --- | --- | --- | ---: | ---: | ---: | ---: | ---: |");
const key = ({ server, peer, version, mode }) => [server, `${peer} ${version}`, mode].join(" | ");
for (const name of [...new Set(runs.map(key))].sort()) {
  const rows = runs.filter((run) => key(run) === name);
  const columns = [
    name,
    rows.length,
    median(rows, "publish_per_second"),
    median(rows, "drain_per_second"),
    Math.max(...rows.map((row) => row.jobs - row.drained)),
    median(rows, "out_of_order"),
  ];
  console.log(`| ${columns.join(" | ")} |`);
}
