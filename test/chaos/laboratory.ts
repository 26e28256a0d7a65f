import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { ensureTemporalCli } from '../../bootstrap/temporal.mjs';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { cleanEnv, ROOT, TODAY } from '../helpers/processes.js';
import { startDataPlace } from '../helpers/data-place.js';
import { makeProject, type Project } from '../helpers/project.js';
import type { MarketFlags } from '../helpers/truth.js';
import { polls } from './storm/temporal.js';
import { scheduleOf, type Planned, type Strike } from './schedule.js';
import { Supervised } from './supervised.js';

export interface NightOptions {
  seed: number;
  strikes: number;
  kinds?: readonly Strike[] | undefined;
  companies: number;
  /** Whether the network has faults throughout the night: errors, cut bodies, resets, HTML pages, hangs. */
  weather: boolean;
  /** Milliseconds per answer of the sandbox. A longer time gives strikes more work to interrupt. */
  latency: number;
}

/** An executed strike and what it interrupted: the victim's activities that began before it and ended after it. */
export interface Blow {
  strike: Strike;
  /** Name of the process that was struck. */
  victim: string;
  interrupted: string[];
}

export interface Night {
  market: MarketFlags;
  project: Project;
  result: RunResult;
  planned: Planned[];
  /** Strikes executed during the run. */
  struck: Blow[];
  /** Company and report requests that the sandbox answered since its last start. */
  detailRequests: number;
  /** Requests with a network fault since the sandbox's last start. */
  faults: number;
  close(): Promise<void>;
}

const IN_FLIGHT = 16;
const FULL_MS = 1_500;
// A strike costs up to 80 s: 20 s of heartbeat timeout and up to 60 s of backoff.
const PATIENCE_MS = 180_000;
const PATIENCE_A_STRIKE_MS = 100_000;
// An activity that was interrupted repeatedly waits up to a minute before its next attempt.
const WORK_COMES_WITHIN_MS = 180_000;
const WORKFLOW = 'snapshot/demo/chaos';
// temporal.api.enums.v1.PendingActivityState.PENDING_ACTIVITY_STATE_STARTED
const STARTED = 2;
const LIMITED = {
  access: { permission: 'p', permission_name: 'p', module: 'm', module_name: 'm', app: 'a', app_name: 'a' },
  error_guard: 'limit',
  message_guard: 'Too many requests.',
};
// Shares of the faults: 2 %, 1 %, 1 % and 1 %. A hang outlasts the client's timeout.
const WEATHER = [
  { route: '/v2/', kind: 'status', status: 500, every: 50, times: 0 },
  { route: '/v2/', kind: 'cut', every: 97, times: 0 },
  { route: '/v2/', kind: 'reset', every: 101, times: 0 },
  { route: '/v2/', kind: 'html', every: 103, times: 0 },
  { route: '/v2/', kind: 'latency', latency: 4_000, every: 499, times: 0 },
];

/** Runs one market snapshot over real processes. Each may be killed and is then restarted. */
export async function runNight(options: NightOptions): Promise<Night> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-chaos-'));
  const [apiPort, temporalPort] = [await freePort(), await freePort()];
  const api = { url: `http://127.0.0.1:${apiPort}`, key: 'chaos-key-0123456789' };
  const address = `127.0.0.1:${temporalPort}`;
  const market = { companies: options.companies, tenders: 10, seed: options.seed, date: TODAY };
  const place = await startDataPlace();
  const data = place.withData({
    config: {
      api: { baseUrl: api.url, maxConcurrency: IN_FLIGHT, timeout: '2s' },
      quota: { probeEvery: '1s' },
    },
  });
  const project = makeProject({ api, temporal: address, ...data });
  const sandbox = new Supervised('the sandbox', {
    command: process.execPath,
    args: [
      '--import',
      'tsx',
      'sandbox/server.ts',
      ...flags({
        ...market,
        port: apiPort,
        key: api.key,
        latency: options.latency,
        file: path.join(folder, 'sandbox.json'),
      }),
    ],
    env: cleanEnv({}),
    cwd: ROOT,
    isUp: () => isOpen(apiPort),
    onUp: async () => {
      for (const fault of options.weather ? WEATHER : []) await control(api.url, 'faults', fault);
    },
  });
  const cli = await ensureTemporalCli({ log: () => undefined });
  const attributes = ['TidemarkMarket=Keyword', 'TidemarkDate=Keyword'].flatMap((one) => ['--search-attribute', one]);
  const temporal = new Supervised('Temporal', {
    command: cli.path,
    args: [
      'server',
      'start-dev',
      '--headless',
      '--port',
      String(temporalPort),
      '--db-filename',
      path.join(folder, 'temporal.db'),
      ...attributes,
    ],
    env: cleanEnv({}),
    isUp: () =>
      withClient(address, async (client) => void (await client.workflowService.getSystemInfo({}))).then(() => true),
  });
  // Two workers crawl into one data folder; one of them also writes the warehouse.
  const workers = ['all', 'crawl'].map(
    (queue) =>
      new Supervised(`the worker of queue ${queue}`, {
        command: process.execPath,
        args: ['bin/tidemark.mjs', 'worker', '--queue', queue],
        env: project.env,
        cwd: ROOT,
        // It is ready once the server has seen this process poll for work.
        isUp: (pid) => withClient(address, (client) => polls(client, `${pid}@${hostname()}`)),
      }),
  );
  const all = [sandbox, temporal, ...workers];
  const close = async (): Promise<void> => {
    for (const one of all.toReversed()) await one.stop();
    project.remove();
    await place.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    for (const one of all) await one.start();
    await withClient(address, (client) =>
      client.workflow.start('marketSnapshot', { taskQueue: 'tidemark-crawl', workflowId: WORKFLOW, args: [{}] }),
    );
    const planned = scheduleOf(options);
    const struck: Blow[] = [];
    const over = { done: false };
    const striking = (async () => {
      for (const { after, strike } of planned) {
        const worker = await waitForWork(address, { strike, after }, workers, over);
        if (worker === null) return;
        struck.push(await strikeDown(strike, { sandbox, temporal, worker, workers, url: api.url }, address));
      }
    })();
    const patience = PATIENCE_MS + options.strikes * PATIENCE_A_STRIKE_MS;
    const ending = resultOf(address, patience).finally(() => (over.done = true));
    const [result] = await Promise.all([ending, striking]);
    const { routes } = (await (await fetch(`${api.url}/_sandbox/requests`)).json()) as {
      routes: Record<string, number>;
    };
    const faults = (await (await fetch(`${api.url}/_sandbox/faults`)).json()) as { struck: number }[];
    return {
      market,
      project,
      result,
      planned,
      struck,
      detailRequests: (routes['GET /v2/companies/{id}'] ?? 0) + (routes['GET /v2/financial/{id}'] ?? 0),
      faults: faults.reduce((sum, fault) => sum + fault.struck, 0),
      close,
    };
  } catch (error) {
    const state = await stateOf(address).catch(String);
    const said = all.map((one) => `--- ${one.name}, started ${one.starts} times\n${one.output()}`);
    await close();
    throw new Error(`seed ${options.seed}\n${said.join('\n')}\n--- the run\n${state}`, { cause: error });
  }
}

/**
 * Waits until a worker is busy, lets it work for a while and checks again, so that a strike interrupts work.
 * @returns the busy worker; null when the run is over
 */
async function waitForWork(
  address: string,
  { strike, after }: Planned,
  workers: Supervised[],
  over: { done: boolean },
): Promise<Supervised | null> {
  const deadline = Date.now() + WORK_COMES_WITHIN_MS;
  const findBusy = async (): Promise<Supervised | undefined> => {
    const started = await startedActivities(address).catch(() => []);
    const busy = workers.filter((worker) => started.some(({ pid }) => pid === worker.pid));
    // Prefers the worker that was started least often.
    return busy.toSorted((a, b) => a.starts - b.starts)[0];
  };
  while (!over.done) {
    if (await findBusy()) {
      await sleep(after);
      const worker = await findBusy();
      if (worker) return worker;
    }
    if (Date.now() > deadline) throw new Error(`no worker had work in ${WORK_COMES_WITHIN_MS} ms before: ${strike}`);
    await sleep(50);
  }
  return null;
}

/** Executes a strike and returns the victim's activities that it interrupted. */
async function strikeDown(strike: Strike, targets: Targets, address: string): Promise<Blow> {
  const { sandbox, temporal, worker, workers } = targets;
  const only = strike.endsWith('worker') ? worker : null;
  const victim = only ?? (strike === 'kill temporal' ? temporal : strike === 'full disk' ? workers[0]! : sandbox);
  const pids = new Set((only ? [only] : workers).map(({ pid }) => pid));
  const before = (await patiently(() => startedActivities(address))).filter(({ pid }) => pids.has(pid));
  const at = Date.now();
  await fall(strike, targets);
  const ended = await patiently(() => activitiesEndedBefore(address, at));
  return {
    strike,
    victim: strike === 'full disk' ? 'both workers' : victim.name,
    interrupted: before.filter(({ id }) => !ended.has(id)).map(({ name }) => name),
  };
}

/** Ids of activities whose completion is in the history with an earlier time. */
async function activitiesEndedBefore(address: string, time: number): Promise<Set<string>> {
  return withClient(address, async (client) => {
    const { events } = await client.workflow.getHandle(WORKFLOW).fetchHistory();
    const ids = new Map<string, string>();
    const ended = new Set<string>();
    for (const event of events ?? []) {
      const scheduled = event.activityTaskScheduledEventAttributes;
      if (scheduled) ids.set(String(event.eventId), scheduled.activityId ?? '');
      const end =
        event.activityTaskCompletedEventAttributes ??
        event.activityTaskFailedEventAttributes ??
        event.activityTaskTimedOutEventAttributes ??
        event.activityTaskCanceledEventAttributes;
      if (end && millisecondsOf(event.eventTime) <= time) ended.add(ids.get(String(end.scheduledEventId)) ?? '');
    }
    return ended;
  });
}

function millisecondsOf(
  time: { seconds?: { toNumber(): number } | null; nanos?: number | null } | null | undefined,
): number {
  return (time?.seconds?.toNumber() ?? 0) * 1_000 + (time?.nanos ?? 0) / 1e6;
}

interface Targets {
  sandbox: Supervised;
  temporal: Supervised;
  /** The worker to strike. */
  worker: Supervised;
  workers: Supervised[];
  url: string;
}

async function fall(strike: Strike, { sandbox, temporal, worker, workers, url }: Targets): Promise<void> {
  switch (strike) {
    case 'kill worker':
      return worker.strike('SIGKILL');
    case 'terminate worker':
      return worker.strike('SIGTERM');
    case 'kill temporal':
      return temporal.strike('SIGKILL');
    case 'kill sandbox':
      return sandbox.strike('SIGKILL');
    case 'full disk':
      await Promise.all(workers.map((one) => one.fillDisk(FULL_MS)));
      return;
    case 'too much at once':
      return control(url, 'faults', { route: '/v2/companies/', kind: 'status', status: 429, body: LIMITED, times: 30 });
    case 'daily limit':
      await control(url, 'quota', { dailyLimit: 1 });
      await sleep(1_500);
      await control(url, 'quota', { dailyLimit: 0 });
  }
}

/** Waits for the run's result, however often the server is down meanwhile. */
async function resultOf(address: string, patienceMs: number): Promise<RunResult> {
  for (const deadline = Date.now() + patienceMs; ;) {
    try {
      return await withClient(address, async (client) => {
        const handle = client.workflow.getHandle(WORKFLOW);
        const { status } = await handle.describe();
        if (status.name === 'RUNNING') throw new Error('still running');
        return (await handle.result()) as RunResult;
      });
    } catch (error) {
      if (error instanceof Error && error.name === 'WorkflowFailedError') throw error;
      if (Date.now() > deadline) throw new Error('the night did not end', { cause: error });
    }
    await sleep(300);
  }
}

/** Describes the run's state for the report of a night that did not end. */
async function stateOf(address: string): Promise<string> {
  return withClient(address, async (client) => {
    const handle = client.workflow.getHandle(WORKFLOW);
    const { raw } = await handle.describe();
    const pending = (raw.pendingActivities ?? []).map(
      ({ activityType, attempt, lastFailure }) =>
        `${activityType?.name}, attempt ${attempt}: ${lastFailure?.message ?? ''}`,
    );
    const progress: unknown = await handle.query('progress').catch(String);
    return [JSON.stringify(progress), ...pending].join('\n');
  });
}

interface StartedActivity {
  id: string;
  /** Type and UI summary of the activity. */
  name: string;
  /** Process id of the worker that runs it. */
  pid: number;
}

/** Activities of the run that a worker has started. */
async function startedActivities(address: string): Promise<StartedActivity[]> {
  return withClient(address, async (client) => {
    const { raw } = await client.workflow.getHandle(WORKFLOW).describe();
    return (raw.pendingActivities ?? [])
      .filter(({ state }) => state === STARTED)
      .map(({ activityId, activityType, lastWorkerIdentity }) => ({
        id: activityId ?? '',
        name: activityType?.name ?? '',
        pid: pidOf(lastWorkerIdentity),
      }));
  });
}

/** Process id in a worker's identity (`1234@host`). */
function pidOf(identity: string | null | undefined): number {
  return Number.parseInt(identity ?? '', 10);
}

/** Retries a query while the server is overloaded or restarting. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  for (const deadline = Date.now() + WORK_COMES_WITHIN_MS; ; await sleep(200)) {
    try {
      return await ask();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}

async function withClient<T>(address: string, work: (client: Client) => Promise<T>): Promise<T> {
  const connection = await Connection.connect({ address, connectTimeout: 1_000 });
  try {
    return await connection.withDeadline(Date.now() + 3_000, () => work(new Client({ connection })));
  } finally {
    await connection.close();
  }
}

async function control(url: string, what: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/_sandbox/${what}`, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`sandbox control ${what}: ${answer.status} ${await answer.text()}`);
}

function flags(values: Record<string, string | number>): string[] {
  return Object.entries(values).flatMap(([name, value]) => [`--${name}`, String(value)]);
}

async function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
