// Reads one JSON document a line, writes its canonical form a line: `canonicalize` of npm, to compare ours with.
import readline from "node:readline";
import canonicalize from "canonicalize";

for await (const line of readline.createInterface({ input: process.stdin, crlfDelay: 0 })) {
  process.stdout.write(canonicalize(JSON.parse(line)) + "\n");
}
