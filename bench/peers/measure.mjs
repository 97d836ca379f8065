// Runs each peer by turns, each run a process of its own, and prints the medians (see `run`).
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const { values } = parseArgs({
  options: {
    jobs: { type: "string", default: "5000" },
    groups: { type: "string", default: "500" },
    seconds: { type: "string", default: "20" },
    repetitions: { type: "string", default: "3" },
    json: { type: "string" },
  },
});
const postgres = process.env.FAIRLANE_TEST_POSTGRES;
const redis = process.env.FAIRLANE_TEST_REDIS;
const peers = [
  ["groupmq", redis],
  ["graphile-worker", postgres],
  ["pg-boss", postgres],
];

/** A peer that fails or hangs is one row less, not the end of the run. */
function measure(peer, url, mode) {
  const program = fileURLToPath(new URL(`${peer}.mjs`, import.meta.url));
  const bounds = ["jobs", "groups", "seconds"].flatMap((name) => [`--${name}`, values[name]]);
  const done = spawnSync(process.execPath, [program, url, mode, ...bounds], {
    encoding: "utf8",
    timeout: (2 * Number(values.seconds) + 30) * 1000,
    stdio: ["ignore", "pipe", "pipe"],
  });
  try {
    return JSON.parse(done.stdout.trim().split("\n").at(-1));
  } catch {
    console.error(`${peer} ${mode}: ${done.error?.message ?? `status ${done.status}`}`);
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
    for (const [peer, url] of peers) {
      const run = measure(peer, url, mode);
      if (run) runs.push(run);
    }
  }
}
if (values.json) writeFileSync(values.json, JSON.stringify({ node: process.version, runs }, null, 1));

console.log(`${values.jobs} jobs, ${values.groups} groups, node ${process.version}, medians\n`);
console.log("| peer | mode | runs | published/s | drained/s | not drained | out of order |");
console.log("| --- | --- | ---: | ---: | ---: | ---: | ---: |");
for (const [peer] of peers) {
  for (const mode of ["single", "batched"]) {
    const rows = runs.filter((run) => run.peer === peer && run.mode === mode);
    if (rows.length === 0) continue;
    const left = Math.max(...rows.map((row) => row.jobs - row.drained));
    const columns = [
      `${peer} ${rows[0].version}`,
      mode,
      rows.length,
      median(rows, "publish_per_second"),
      median(rows, "drain_per_second"),
      left,
      median(rows, "out_of_order"),
    ];
    console.log(`| ${columns.join(" | ")} |`);
  }
}
