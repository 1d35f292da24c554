// JavaScript side of the benchmark: parse, canonicalize, hash. Prints CPU time per document as JSON.
// Usage: node bench.mjs <file>
import fs from "node:fs";
import { keccak_256 } from "@noble/hashes/sha3.js";
import canonicalize from "canonicalize";
import createKeccak from "keccak";

const MIN_MICROSECONDS = 500_000;
// The best measurement counts, here and in Rust, because other processes only slow it down.
const REPEATS = 3;

const pipelines = {
  noble: (bytes) => keccak_256(Buffer.from(canonicalize(JSON.parse(bytes.toString("utf8"))), "utf8")),
  native: (bytes) =>
    createKeccak("keccak256")
      .update(Buffer.from(canonicalize(JSON.parse(bytes.toString("utf8"))), "utf8"))
      .digest(),
};

function cpuMicroseconds() {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** CPU nanoseconds of one run. */
function measure(run) {
  let rounds = 1;
  for (;;) {
    const start = cpuMicroseconds();
    for (let round = 0; round < rounds; round++) run();
    const spent = cpuMicroseconds() - start;
    if (spent >= MIN_MICROSECONDS) return (spent * 1000) / rounds;
    rounds = Math.max(rounds * 2, Math.ceil((rounds * 1.2 * MIN_MICROSECONDS) / Math.max(spent, 1)));
  }
}

const bytes = fs.readFileSync(process.argv[2]);
const results = { hash: "0x" + Buffer.from(pipelines.noble(bytes)).toString("hex") };
for (const [name, pipeline] of Object.entries(pipelines)) {
  // Warm up the JIT compiler.
  measure(() => pipeline(bytes));
  const repeats = Array.from({ length: REPEATS }, () => measure(() => pipeline(bytes)));
  results[name] = Math.min(...repeats);
}
process.stdout.write(JSON.stringify(results));
