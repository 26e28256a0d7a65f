import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { Client } from '@temporalio/client';
import { FAULTS } from '../helpers/bucket-faults.js';
import { differentTables } from '../helpers/different-tables.js';
import type { RunningProcess } from '../helpers/processes.js';
import type { Project } from '../helpers/project.js';
import { tidemarkIn } from '../helpers/run-cli.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';
import { startGateway, type Gateway } from '../helpers/versitygw.js';
import { startWrongProxy, type Answered, type Asked, type Fault, type WrongProxy } from '../helpers/wrong-proxy.js';

/*
 * Runs publish into a bucket whose gateway answers one request in fifty wrongly, while writers of the warehouse end or are
 * killed and standbys take over. A second system does the same runs undisturbed.
 */

const RUNS = Number(process.env['WRONG_BUCKET_RUNS'] ?? 100);
const SEED = Number(process.env['WRONG_BUCKET_SEED'] ?? 1);
const ONE_IN = 50;
const MARKET = { companies: 12, tenders: 2, seed: 5 };
const CONFIG = { markets: [{ name: 'demo', refresh: { companies: '0d', financials: '0d' } }] };
const WRITES = 'this process writes the warehouse now';
const HOUR = 3_600_000;

/** Numbers from 0 to 1 that only the seed decides. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Answers one request in fifty wrongly, also with an earlier answer to the same request. */
class WrongAnswers {
  readonly #random = randomOf(SEED);
  readonly #earlier = new Map<string, Answered>();
  readonly #faults: [string, Fault | 'earlier'][] = [
    ...Object.entries(FAULTS).filter(([name]) => !name.startsWith('a large')),
    ...Array.from({ length: 5 }, (): [string, 'earlier'] => ['an earlier answer', 'earlier']),
  ];
  readonly counts = new Map<string, number>();

  choose(asked: Asked): Fault | undefined {
    const isRead = asked.kind === 'get' || asked.kind === 'list';
    const truth: Fault = { answer: (found) => this.#keep(asked, found) };
    if (this.#random() * ONE_IN >= 1) return isRead ? truth : undefined;
    const [name, fault] = this.#faults[Math.floor(this.#random() * this.#faults.length)] ?? ['none', {}];
    const earlier = isRead ? this.#earlier.get(asked.url) : undefined;
    if (fault === 'earlier' && earlier === undefined) return isRead ? truth : undefined;
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
    return fault === 'earlier'
      ? { answer: () => earlier ?? { status: 500, headers: {}, body: Buffer.alloc(0) } }
      : fault;
  }

  #keep({ url }: Asked, found: Answered): Answered {
    if (!this.#earlier.has(url) || this.#random() < 0.3) this.#earlier.set(url, found);
    return found;
  }
}

describe('a bucket whose gateway answers one request in fifty wrongly', () => {
  let gateway: Gateway;
  let proxy: WrongProxy;
  let system: System;
  const wrong = new WrongAnswers();
  const workers: RunningProcess[] = [];
  const ended = new Set<RunningProcess>();

  const addWorker = async (queue: 'crawl' | 'warehouse'): Promise<[Project, RunningProcess]> => {
    const env = { ...gateway.env, AWS_ENDPOINT_URL: proxy.url };
    const project = system.addProject({ ...CONFIG, data: `s3://${gateway.bucket}/wrong` }, undefined, env);
    const worker = await project.startWorker({}, queue);
    workers.push(worker);
    return [project, worker];
  };
  const end = async (worker: RunningProcess, signal: NodeJS.Signals): Promise<void> => {
    ended.add(worker);
    await worker.stop(signal);
  };
  /** The process that writes the warehouse, by its last words about the lease. */
  const writes = (worker: RunningProcess): boolean =>
    !ended.has(worker) &&
    worker.output().lastIndexOf(WRITES) >
      Math.max(worker.output().lastIndexOf('lost the lease'), worker.output().lastIndexOf('gives the'));

  beforeAll(async () => {
    gateway = await startGateway();
    proxy = await startWrongProxy(gateway.env.AWS_ENDPOINT_URL, (asked) => wrong.choose(asked));
    system = await startSystem({ market: MARKET, worker: null });
  });
  afterAll(async () => {
    for (const worker of workers) await worker.stop('SIGKILL');
    await system?.stop();
    await proxy?.close();
    await gateway?.remove();
  });

  it(`publishes ${RUNS} nights with the tables of undisturbed nights`, { timeout: 4 * HOUR }, async () => {
    await system.temporal.connection.workflowService.registerNamespace({
      namespace: 'undisturbed',
      workflowExecutionRetentionPeriod: { seconds: 86_400 as never },
    });
    const client = new Client({ connection: system.temporal.connection, namespace: 'undisturbed' });
    const calm = system.addProject(CONFIG, 'undisturbed');
    await addWorker('crawl');
    await addWorker('warehouse');
    const [last] = await addWorker('warehouse');
    const calmWorker = await calm.startWorker();
    workers.push(calmWorker);
    const night = { taskQueue: 'tidemark-crawl', args: [{}] };
    for (let n = 1; n <= RUNS; n++) {
      if (n % 20 === 0) await system.api.advanceDay();
      const workflowId = `snapshot/demo/${n}`;
      const handle = await system.start('marketSnapshot', workflowId);
      // Some writers end while they work, some while they wait.
      if (n % 10 === 5) await takeOver(n % 20 === 5 ? 'SIGKILL' : 'SIGTERM');
      const outcomes = [
        ((await handle.result()) as RunResult).outcome,
        ((await client.workflow.execute('marketSnapshot', { ...night, workflowId })) as RunResult).outcome,
      ];
      expect({ n, outcomes }).toEqual({ n, outcomes: ['complete', 'complete'] });
    }
    for (const worker of workers)
      if (!ended.has(worker)) expect([worker.child.exitCode, worker.child.signalCode]).toEqual([null, null]);
    expect((await tidemarkIn(last, ['sql', 'SELECT 1'])).code).toBe(0);
    expect(await differentTables(calm.published, last.published)).toEqual([]);
    console.log(JSON.stringify({ runs: RUNS, requests: proxy.requests, wrong: sum(wrong), ended: ended.size }));
  });

  async function takeOver(signal: NodeJS.Signals): Promise<void> {
    let writer: RunningProcess | undefined;
    await waitUntil('one process writes', async () => (writer = workers.find(writes)) !== undefined, {
      withinMs: 600_000,
    });
    if (writer !== undefined) await end(writer, signal);
    await addWorker('warehouse');
  }
});

function sum({ counts }: WrongAnswers): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}
