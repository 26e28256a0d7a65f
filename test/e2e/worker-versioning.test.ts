import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { startSystem, type System, type SystemOptions } from '../helpers/system.js';

let system: System | undefined;

afterEach(async () => {
  await system?.stop();
});

async function start(versioning: string, more: Partial<SystemOptions> = {}): Promise<System> {
  const market = { companies: 20, tenders: 3, seed: 6 };
  system = await startSystem({ market, config: { worker: { versioning } }, ...more });
  return system;
}

interface Workers {
  current: string | null;
  versions: { version: string; workers: string }[];
  warnings: string[];
}

const workers = async (from: System): Promise<Workers> =>
  JSON.parse((await from.tidemark('workers', '--json')).stdout) as Workers;

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

it('auto: runs workers without a version if the server has Worker Deployments switched off', async () => {
  const serverArgs = ['--dynamic-config-value', 'system.enableDeploymentVersions=false'];
  const auto = await start('auto', { serverArgs });
  expect(auto.worker.output()).toContain('This Temporal server has no Worker Deployments');
  expect((await auto.run('tenderSnapshot', 'tenders/auto')).outcome).toBe('complete');
  expect(auto.worker.output()).not.toMatch(/Cannot update the worker versions/);
  expect(await workers(auto)).toEqual({
    workers: [{ worker: expect.any(String), roles: ['crawl', 'warehouse'], polledAt: expect.any(String), doing: [] }],
    current: null,
    versions: [{ version: 'unversioned', current: 'yes', workers: 'polling', runs: 0 }],
    warnings: [],
  });
  expect((await auto.tidemark('workers', 'promote')).stdout).toBe('New runs start on workers without a version.\n');
  for (const command of ['status', 'doctor']) {
    const { stdout, stderr } = await auto.tidemark(command);
    expect(`${stdout}${stderr}`).not.toMatch(/Deployment|New runs wait|version/i);
  }
});
