import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { fuzzBodies } from './fuzz.js';

/*
 * `npm run fuzz:bodies -- --runs 100000 [--seed S]`: sends mutated bodies of every stream through client, landing zone
 * and load. Exits with 1 after a crash, a wrong row or a rejection without a reject that names the reason.
 */
const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const seed = Number(values.seed);
const dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-fuzz-'));
const began = performance.now();
const onProgress = (step: string): void => {
  const megabytes = Math.round(process.memoryUsage().rss / 1024 / 1024);
  process.stderr.write(`${((performance.now() - began) / 1000).toFixed(1)} s  ${step}  (${megabytes} MiB)\n`);
};
try {
  const { faults, ...report } = await fuzzBodies(dataDir, { runs: Number(values.runs), seed, onProgress });
  for (const fault of faults.slice(0, 20)) process.stdout.write(`${fault}\n`);
  process.stdout.write(`${JSON.stringify({ seed, ...report, faults: faults.length })}\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
