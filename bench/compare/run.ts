import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createWorld } from '../../sandbox/world/index.js';
import { startSandbox, type RunningSandbox } from '../../test/helpers/processes.js';
import { countRequests } from '../../test/helpers/sandbox.js';
import { MARKET } from '../market.js';
import { cpuSeconds } from '../process-usage.js';
import { report } from '../report/report.js';
import type { Contender } from './contender.js';
import { Expected } from './expected.js';
import { airbyteSource, CDK_VERSION, DLT_VERSION, dltPipeline, plainScript } from './rivals.js';
import { compareTables, type Turn } from './tables.js';
import { otherTidemark, tidemark } from './tidemark.js';

const COMPANIES = Number(process.env['COMPARE_COMPANIES'] ?? 2_000);
const ROUNDS = Number(process.env['COMPARE_ROUNDS'] ?? 3);
const IN_FLIGHT = 32;
// One request at a time is slow: the sequential script reads only the first companies.
const SEQUENTIAL_COMPANIES = 200;
const LATENCIES_MS = (process.env['COMPARE_LATENCIES'] ?? '0,50,250').split(',').map(Number);
/** Folder of another clone of Tidemark. */
const AGAINST = process.env['COMPARE_AGAINST'];
const WORLD = { ...MARKET, companies: COMPANIES };

/**
 * Crawls the same market with Tidemark and with programs that somebody could use instead, in turns, against the same
 * sandbox process. Compares the rows of each with the market. `COMPARE_COMPANIES` and `COMPARE_ROUNDS` set the size,
 * `COMPARE_LATENCIES` the latencies of the sandbox (ms, with commas). With `COMPARE_AGAINST`, the folder of another
 * clone of Tidemark, its worker and command take part, too.
 */
export async function benchCompare(): Promise<void> {
  process.stdout.write(`compare: ${COMPANIES} companies with reports, ${ROUNDS} rounds\n`);
  const expected = await Expected.of(createWorld(WORLD));
  const [dlt, airbyte] = [await dltPipeline(), await airbyteSource(IN_FLIGHT)];
  const contenders: Contender[] = [
    tidemark(IN_FLIGHT),
    ...(AGAINST === undefined ? [] : [otherTidemark(IN_FLIGHT, path.resolve(AGAINST))]),
    plainScript(`plain script, ${IN_FLIGHT} in flight`, IN_FLIGHT),
    ...[dlt, airbyte].filter((contender) => contender !== null),
    plainScript('sequential script', 1, SEQUENTIAL_COMPANIES),
  ];
  const tables = [];
  let temporal = 'unknown';
  for (const latency of LATENCIES_MS) {
    const sandbox = await startSandbox({ ...WORLD, latency });
    try {
      const turns = await runTurns(contenders, sandbox, expected);
      tables.push(...compareTables(latency, turns));
      temporal =
        [...turns.values()].flat().find(({ outcome }) => outcome.temporal)?.outcome.temporal?.version ?? temporal;
    } finally {
      await sandbox.stop();
    }
  }
  report({
    bench: 'compare',
    settings: { COMPARE_COMPANIES: COMPANIES, COMPARE_ROUNDS: ROUNDS },
    versions: {
      Temporal: temporal,
      ...(dlt !== null && { dlt: DLT_VERSION }),
      ...(airbyte !== null && { 'Airbyte CDK': CDK_VERSION }),
    },
    rounds: ROUNDS,
    tables,
  });
}

async function runTurns(
  contenders: readonly Contender[],
  sandbox: RunningSandbox,
  expected: Expected,
): Promise<Map<string, Turn[]>> {
  const turns = new Map<string, Turn[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < ROUNDS; round++)
    for (const contender of contenders) {
      const turn = await runTurn(contender, sandbox, expected);
      turns.get(contender.name)!.push(turn);
      const { requests, total, outcome, difference } = turn;
      process.stdout.write(
        `  round ${round + 1}, ${contender.name}: ${requests} requests in ${total.toFixed(1)} s, CPU ${JSON.stringify(outcome.cpu)}, ${JSON.stringify(difference)}\n`,
      );
    }
  return turns;
}

async function runTurn(contender: Contender, sandbox: RunningSandbox, expected: Expected): Promise<Turn> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-compare-'));
  const requests = new RequestWatch(sandbox);
  try {
    await fetch(`${sandbox.url}/_sandbox/requests`, { method: 'DELETE' });
    const cpuBefore = cpuSeconds(sandbox.child.pid!);
    let ready: { at: number; requests: number; sandboxCpu: number } | undefined;
    const begun = performance.now();
    requests.start();
    let queryable = Number.NaN;
    const outcome = await contender.run({
      sandbox,
      folder,
      queryable: () => void (queryable = (performance.now() - begun) / 1_000),
      done: async () => {
        ready = {
          at: performance.now(),
          requests: await countRequests(sandbox),
          sandboxCpu: cpuSeconds(sandbox.child.pid!) - cpuBefore,
        };
        await requests.stop();
      },
    });
    if (ready === undefined) throw new Error(`${contender.name} did not call done()`);
    return {
      outcome,
      difference: await expected.compare(outcome),
      requests: ready.requests,
      crawl: requests.seconds(),
      total: (ready.at - begun) / 1_000,
      queryable,
      sandboxCpu: ready.sandboxCpu,
    };
  } finally {
    await requests.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Measures when the sandbox answers the first and the last request, by asking for its counter. */
class RequestWatch {
  readonly #sandbox: RunningSandbox;
  #running: Promise<void> = Promise.resolve();
  #stopped = false;
  #first = Number.NaN;
  #last = Number.NaN;

  constructor(sandbox: RunningSandbox) {
    this.#sandbox = sandbox;
  }

  start(): void {
    this.#running = this.#watch();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#running;
  }

  seconds(): number {
    return (this.#last - this.#first) / 1_000;
  }

  async #watch(): Promise<void> {
    for (let known = 0; !this.#stopped; await sleep(50)) {
      const now = await countRequests(this.#sandbox);
      if (now === known) continue;
      if (known === 0) this.#first = performance.now();
      this.#last = performance.now();
      known = now;
    }
  }
}
