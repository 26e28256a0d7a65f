import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { startSystem, type System, type SystemOptions } from '../helpers/system.js';

let system: System | undefined;

afterEach(async () => {
  await system?.stop();
});

async function start(versioning: string): Promise<System> {
  const options: SystemOptions = { market: { companies: 20, tenders: 3, seed: 6 }, config: { worker: { versioning } } };
  system = await startSystem(options);
  return system;
}

interface Workers {
  current: string | null;
  versions: { version: string; workers: string }[];
  warnings: string[];
}

const workers = async (from: System): Promise<Workers> =>
  JSON.parse((await from.tidemark('workers', '--json')).stdout) as Workers;

it('off: runs workers without a version', async () => {
  const off = await start('off');
  expect((await off.run('tenderSnapshot', 'tenders/off')).outcome).toBe('complete');
  expect(await workers(off)).toEqual({
    current: null,
    versions: [{ version: 'unversioned', current: 'yes', workers: 'polling', runs: 0 }],
    warnings: [],
  });
  // Asking for versions before the first worker makes the server log an error.
  expect(off.worker.output()).not.toMatch(/Worker Deployment/);
});

it('manual: new runs wait until an operator promotes the version', async () => {
  const manual = await start('manual');
  const run = await manual.start('tenderSnapshot', 'tenders/manual');
  await delay(3_000);
  expect((await run.fetchHistory()).events?.some((event) => event.workflowTaskStartedEventAttributes)).toBe(false);
  const before = await workers(manual);
  expect(before.current).toBeNull();
  expect(before.warnings.join(' ')).toMatch(/^New runs wait: .*`tidemark workers promote`/);
  const { code, stderr } = await manual.tidemark('workers', 'promote');
  expect(code, stderr).toBe(0);
  expect(((await run.result()) as RunResult).outcome).toBe('complete');
  const { current, versions, warnings } = await workers(manual);
  expect(versions).toMatchObject([{ version: current, workers: 'polling' }]);
  expect(warnings).toEqual([]);
});
