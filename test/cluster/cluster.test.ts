import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WEBHOOK_RUN } from '../../schemas/pipeline/landing.js';
import type { Progress, RunResult } from '../../schemas/pipeline/run.js';
import { pullRows, readManifests, readPartRows } from '../../src/landing/index.js';
import { openData } from '../../src/store/working-copy.js';
import { readCompose } from '../deploy/compose-file.js';
import {
  missingForPostgres,
  startTemporalOnPostgres,
  type TemporalOnPostgres,
} from '../deploy/temporal-on-postgres.js';
import { differentTables } from '../helpers/different-tables.js';
import { makeProject, type Project } from '../helpers/project.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startTarget, type Target } from '../helpers/target.js';
import { startTemporal } from '../helpers/temporal.js';
import { startGateway, type Gateway } from '../helpers/versitygw.js';
import { Machine } from './machines.js';
import { missingForNetworks, Networks } from './networks.js';

/*
 * A cluster: Temporal on PostgreSQL, an S3 service, three crawl workers, two receivers, a warehouse worker and a standby,
 * each machine with its own folder and network. While it takes a snapshot, machines and services fail.
 * `CLUSTER_COMPANIES=20000` is the size of docs/many-machines.md.
 */

const COMPANIES = Number(process.env['CLUSTER_COMPANIES'] ?? 2_000);
const MARKET = { companies: COMPANIES, tenders: 20, seed: 11, latency: 100 };
const SECRET = 'a-secret-of-the-callback';
/** Requests that may be repeated after a machine was lost with its disk. */
const REPEATED = 64;
const missing = missingForPostgres() ?? missingForNetworks();
const MINUTE = 60_000;

describe.skipIf(missing !== null)(`a cluster${missing === null ? '' : ` (${missing})`}`, () => {
  const cleanups: (() => unknown)[] = [];
  let api: Target;
  let gateway: Gateway;
  let temporal: TemporalOnPostgres;
  let networks: Networks;
  let client: Client;
  let url = '';
  let place: { api: string; temporal: string; s3: string };
  const machines: Machine[] = [];
  const config = { personalData: 'contacts', markets: [{ name: 'demo', streams: ['companies', 'financials'] }] };

  const addMachine = (): Machine => {
    const project = makeProject({
      api: { url: place.api, key: api.key },
      temporal: place.temporal,
      config: {
        ...config,
        api: { baseUrl: place.api, allowHttp: true, maxConcurrency: 16 },
        data: `s3://${gateway.bucket}/cluster`,
      },
      env: { ...gateway.env, AWS_ENDPOINT_URL: place.s3, TIDEMARK_WEBHOOK_SECRET: SECRET },
    });
    cleanups.push(() => project.remove());
    const machine = new Machine(project, networks.add());
    machines.push(machine);
    return machine;
  };
  const worker = (queue: string): Promise<Machine> => addMachine().start(['worker', '--queue', queue], /worker ready/);
  const receiver = (): Promise<Machine> =>
    addMachine().start(['watch', 'listen', '--host', '0.0.0.0', '--port', '8080', '--path', '/events'], /Listening/);
  const sent = (): Promise<number> => api.requests('GET /v2/companies/{id}');

  beforeAll(async () => {
    [api, gateway, temporal] = await Promise.all([
      startTarget(MARKET),
      startGateway(),
      startTemporalOnPostgres(readCompose('deploy/compose/sandbox.env')),
    ]);
    networks = new Networks();
    cleanups.push(
      () => api.stop(),
      () => gateway.remove(),
      () => temporal.stop(),
      () => networks.remove(),
    );
    temporal.runOnce('temporal-namespace');
    const forward = async (address: string): Promise<string> => networks.forward(Number(new URL(address).port));
    place = {
      api: `http://${await forward(api.url)}`,
      s3: `http://${await forward(gateway.env.AWS_ENDPOINT_URL)}`,
      temporal: await forward(`http://${temporal.address}`),
    };
    url = temporal.address;
    client = new Client({ connection: await Connection.connect({ address: url }) });
  }, 5 * MINUTE);

  afterAll(async () => {
    for (const machine of machines) {
      machine.signal('SIGCONT');
      await machine.stop('SIGKILL');
    }
    for (const cleanup of cleanups.toReversed()) await cleanup();
  }, 2 * MINUTE);

  it('takes the snapshot that one machine takes, while machines and services fail', async () => {
    const crawlers = await Promise.all([worker('crawl'), worker('crawl'), worker('crawl')]);
    const writer = await worker('warehouse');
    await waitUntil('it writes the warehouse', async () => writer.writes);
    const standby = await worker('warehouse');
    const receivers = await Promise.all([receiver(), receiver()]);
    const deliveries = new Deliveries(receivers);
    const begun = Date.now();
    const handle = await client.workflow.start('marketSnapshot', {
      taskQueue: 'tidemark-crawl',
      workflowId: 'snapshot/demo/cluster',
      args: [{}],
    });
    const share = (of: number) =>
      waitUntil(`${of * 100} % are fetched`, async () => (await sent()) > of * COMPANIES, LONG);

    await share(0.2);
    await Promise.all([crawlers[0]?.lose(), receivers[0]?.lose()]);
    await share(0.4);
    await gateway.kill();
    await sleep(30_000);
    await gateway.restart();
    await share(0.7);
    await temporal.restartServer();
    const frozenAt = await freeze(handle, writer);
    await waitUntil('the standby writes the warehouse', async () => standby.writes, LONG);
    const takeover = Date.now() - frozenAt;
    const result = (await resultOf(handle)) as RunResult;
    const seconds = (Date.now() - begun) / 1_000;
    expect(result.outcome).toBe('complete');
    writer.signal('SIGCONT');
    await deliveries.stop();

    await api.expectMarketEqualsTruth(standby.project);
    const repeated = (await sent()) - COMPANIES;
    expect(repeated).toBeLessThanOrEqual(REPEATED);
    expect(await differentTables((await oneMachine()).published, standby.project.published)).toEqual([]);
    // The deliveries of the lost receiver are landed by the other one, two minutes later.
    const bodies = await waitForDeliveries(deliveries);
    expect(new Set(bodies)).toEqual(new Set(deliveries.answered));
    console.log(
      JSON.stringify({
        companies: COMPANIES,
        seconds,
        repeated,
        takeoverSeconds: takeover / 1_000,
        deliveries: deliveries.answered.length,
      }),
    );
  });

  /** Freezes the writer of the warehouse when models are built or tables are published. */
  async function freeze(handle: WorkflowHandle, writer: Machine): Promise<number> {
    await waitUntil(
      'the run builds models',
      async () => {
        const progress = await handle.query<Progress>('progress').catch(() => undefined);
        return progress !== undefined && ['modelling', 'publishing'].includes(progress.phase);
      },
      LONG,
    );
    writer.signal('SIGSTOP');
    return Date.now();
  }

  /** Takes the same snapshot with one machine and a folder. */
  async function oneMachine(): Promise<Project> {
    const server = await startTemporal();
    cleanups.push(() => server.teardown());
    const project = makeProject({ api, temporal: server.address, config: { ...config, api: { baseUrl: api.url } } });
    cleanups.push(() => project.remove());
    const single = await project.startWorker();
    const run = { taskQueue: 'tidemark-crawl', workflowId: 'snapshot/demo/single', args: [{}] };
    expect(((await server.client.workflow.execute('marketSnapshot', run)) as RunResult).outcome).toBe('complete');
    await single.stop();
    return project;
  }

  /** Waits until every answered delivery is landed. Returns all landed ones. */
  async function waitForDeliveries({ answered }: Deliveries): Promise<string[]> {
    const dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-reader-'));
    cleanups.push(() => rmSync(dataDir, { recursive: true, force: true }));
    Object.assign(process.env, gateway.env);
    const data = await openData({ bucket: `s3://${gateway.bucket}/cluster`, storage: {}, dataDir });
    let landed: string[] = [];
    await waitUntil(
      'all deliveries are landed',
      async () => {
        await pullRows(data, { streams: ['watch_events'] });
        landed = readManifests(dataDir, { stream: 'watch_events', run: WEBHOOK_RUN })
          .flatMap(readPartRows)
          .map(({ body }) => body);
        return answered.every((body) => landed.includes(body));
      },
      { everyMs: 5_000, withinMs: 10 * MINUTE },
    );
    return landed;
  }
});

const LONG = { everyMs: 200, withinMs: 60 * MINUTE };

/** Waits for a result, also while the server is restarted. */
async function resultOf(handle: WorkflowHandle): Promise<unknown> {
  for (;;) {
    try {
      return await handle.result();
    } catch (error) {
      if (!/UNAVAILABLE|connect/i.test(String(error))) throw error;
      await sleep(1_000);
    }
  }
}

/** Sends signed deliveries to the receivers in turns, as a load balancer does, and repeats those without a 200. */
class Deliveries {
  /** Bodies that were answered with 200. */
  readonly answered: string[] = [];
  readonly #receivers: readonly Machine[];
  readonly #working: Promise<void>;
  #stopped = false;

  constructor(receivers: readonly Machine[]) {
    this.#receivers = receivers;
    this.#working = this.#send();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#working;
  }

  async #send(): Promise<void> {
    for (let number = 0; !this.#stopped; number++) {
      const body = JSON.stringify({ event: `event-${number}`, company_data: { id: 1_000_000 + number } });
      const signature = createHmac('sha256', SECRET).update(body).digest('hex');
      for (let attempt = number; !this.#stopped; attempt++) {
        const receiver = this.#receivers[attempt % this.#receivers.length];
        const status = await fetch(`http://${receiver?.address}:8080/events`, {
          method: 'POST',
          body,
          headers: { 'x-svc-signature': signature },
          signal: AbortSignal.timeout(90_000),
        }).then(
          (answer) => answer.status,
          () => 0,
        );
        if (status === 200) {
          this.answered.push(body);
          break;
        }
        await sleep(500);
      }
      await sleep(250);
    }
  }
}
