import { parseArgs } from 'node:util';
import { runStorm } from './storm.js';

/* `npm run storm -- --seed S --rounds N`: runs rounds of two workers, two receivers and writing commands. */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '100' },
    companies: { type: 'string', default: '60' },
  },
});
const end = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => end.abort());
const found = await runStorm({
  seed: Number(values.seed),
  rounds: Number(values.rounds),
  companies: Number(values.companies),
  say: (line) => console.log(line),
  // Stops after the current round, so that no process is left.
  signal: end.signal,
});
const { rounds, strikes, acknowledged, complete, reads, problems } = found;
console.log(
  `seed ${values.seed}: ${rounds} rounds, ${strikes} strikes at processes at work, ${complete} complete runs, ${acknowledged} deliveries acknowledged, ${reads} reads; ${problems.length === 0 ? 'all well' : `${problems.length} things wrong`}`,
);
for (const problem of problems) console.log(`  ${problem}`);
process.exitCode = problems.length === 0 ? 0 : 1;
