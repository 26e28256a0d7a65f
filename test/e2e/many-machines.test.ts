import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Progress, RunResult } from '../../schemas/pipeline/run.js';
import { openStorage } from '../../src/store/open.js';
import type { RunningProcess } from '../helpers/processes.js';
import type { Project } from '../helpers/project.js';
import { tidemarkIn } from '../helpers/run-cli.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';
import { startGateway, type Gateway } from '../helpers/versitygw.js';

const MARKET = { companies: 900, tenders: 20, seed: 11, maxPerPage: 25 };
/** Requests that may be repeated after a machine was lost with its disk. */
const REPEATED = 64;

/** A machine: a folder of its own, and one worker. */
interface Machine {
  project: Project;
  worker: RunningProcess;
}

const writes = ({ worker }: Machine): boolean => worker.output().includes('this process writes the warehouse now');

describe('machines that share a bucket', () => {
  let system: System;
  let gateway: Gateway;
  const machines: Machine[] = [];

  const addMachine = async (queue: 'crawl' | 'warehouse'): Promise<Machine> => {
    const config = {
      data: `s3://${gateway.bucket}/shared`,
      markets: [{ name: 'demo', refresh: { companies: '0d', financials: '0d' } }],
    };
    const project = system.addProject(config, undefined, gateway.env);
    const machine = { project, worker: await project.startWorker({}, queue) };
    machines.push(machine);
    return machine;
  };
  const sent = (): Promise<number> => system.api.requests('GET /v2/companies/{id}');
  const currentBuild = async (): Promise<string | undefined> => {
    const env = { ...process.env, ...gateway.env };
    const found = await openStorage(`s3://${gateway.bucket}/shared/published`, {}, env).read('current.json');
    return found?.body.toString('utf8');
  };

  beforeAll(async () => {
    gateway = await startGateway();
    system = await startSystem({ market: { ...MARKET, latency: 15 }, worker: null });
  });

  afterEach(async () => {
    for (const { worker } of machines.splice(0)) {
      worker.child.kill('SIGCONT');
      await worker.stop();
    }
  });

  afterAll(async () => {
    await system?.stop();
    await gateway?.remove();
  });

  it('fetch a market after one was lost with its disk', async () => {
    const first = await addMachine('crawl');
    await addMachine('crawl');
    const warehouse = await addMachine('warehouse');
    const handle = await system.start('marketSnapshot', 'snapshot/demo/lost');
    await waitUntil('some hundred company records are fetched', async () => (await sent()) > 250);
    await first.worker.stop('SIGKILL');
    rmSync(first.project.dataDir, { recursive: true });
    const result = (await handle.result()) as RunResult;
    expect(result.outcome).toBe('complete');
    await system.api.expectMarketEqualsTruth(warehouse.project);
    expect(await sent()).toBeLessThanOrEqual(MARKET.companies + REPEATED);
  });

  it('finish a night although the bucket is away for half a minute', async () => {
    await addMachine('crawl');
    const warehouse = await addMachine('warehouse');
    const before = await sent();
    const handle = await system.start('marketSnapshot', 'snapshot/demo/away');
    await waitUntil('some company records are fetched', async () => (await sent()) > before + 100);
    await gateway.kill();
    await sleep(30_000);
    await gateway.restart();
    expect(((await handle.result()) as RunResult).outcome).toBe('complete');
    await system.api.expectMarketEqualsTruth(warehouse.project);
  });

  it('publish a night although the writer of the warehouse is frozen past its lease', async () => {
    const crawl = await addMachine('crawl');
    const frozen = await addMachine('warehouse');
    await waitUntil('it writes the warehouse', async () => writes(frozen));
    const standby = await addMachine('warehouse');
    const handle = await system.start('marketSnapshot', 'snapshot/demo/frozen');
    await waitUntil('the run builds models', async () =>
      ['modelling', 'publishing'].includes((await handle.query<Progress>('progress')).phase),
    );
    expect(writes(standby)).toBe(false);
    frozen.worker.child.kill('SIGSTOP');
    expect(((await handle.result()) as RunResult).outcome).toBe('complete');
    expect(writes(standby)).toBe(true);
    await system.api.expectMarketEqualsTruth(standby.project);
    const before = await currentBuild();
    frozen.worker.child.kill('SIGCONT');
    await waitUntil('it knows that it lost the lease', async () =>
      frozen.worker.output().includes('another process writes the warehouse now'),
    );
    // Its activity may still run. Time to show whether it switches the readers.
    await sleep(5_000);
    expect(await currentBuild()).toEqual(before);
    await standby.worker.stop();
    const next = await system.run('marketSnapshot', 'snapshot/demo/after');
    expect(next.outcome).toBe('complete');
    await system.api.expectMarketEqualsTruth(frozen.project);
    const statusOn = async ({ project }: Machine): Promise<{ copy: unknown; published: { at: string } }> =>
      JSON.parse((await tidemarkIn(project, ['status', '--json'])).stdout) as Awaited<ReturnType<typeof statusOn>>;
    expect((await statusOn(frozen)).copy).toMatchObject({ current: true, fault: null });
    // The last copy of this machine is older than the current build.
    const taken = await statusOn(standby);
    expect(taken.copy).toBeNull();
    const current = JSON.parse((await currentBuild()) ?? '') as { published_at: string };
    expect(taken.published.at).toBe(current.published_at);
    const counted = await tidemarkIn(crawl.project, [
      'sql',
      '--format',
      'json',
      'SELECT count(*) AS runs FROM ops.runs',
    ]);
    expect(JSON.parse(counted.stdout)).toEqual([{ runs: 4 }]);
  });
});
