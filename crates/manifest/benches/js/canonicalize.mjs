// Reads one JSON document per line and writes its canonical form, with npm's `canonicalize`. Used by tests/it/differential.rs.
import readline from "node:readline";
import canonicalize from "canonicalize";

for await (const line of readline.createInterface({ input: process.stdin, crlfDelay: 0 })) {
  process.stdout.write(canonicalize(JSON.parse(line)) + "\n");
}
