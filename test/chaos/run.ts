import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { STRIKES } from './schedule.js';

/* `npm run chaos -- --seed S --minutes M`: runs nights of faults with successive seeds until the time is over. */
const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '1' },
    companies: { type: 'string', default: '600' },
    strikes: { type: 'string' },
    kinds: { type: 'string' },
    weather: { type: 'string', default: 'foul' },
    latency: { type: 'string' },
  },
});
const unknown = (values.kinds ?? '')
  .split(',')
  .filter((kind) => kind !== '' && !STRIKES.some((known) => known === kind));
if (unknown.length > 0) {
  process.stderr.write(`--kinds: no ${unknown.join(', ')}; there are: ${STRIKES.join(', ')}\n`);
  process.exit(2);
}
const env = Object.entries(values).map(([name, value]) => [`CHAOS_${name.toUpperCase()}`, value]);
const { status } = spawnSync('npx', ['vitest', 'run', '--project', 'long', 'test/chaos/chaos.test.ts'], {
  stdio: 'inherit',
  env: {
    ...process.env,
    TEST_LONG: '1',
    ...(Object.fromEntries(env.filter(([, value]) => value !== undefined)) as object),
  },
});
process.exitCode = status ?? 1;
