import { existsSync, mkdirSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { startDataPlace, type DataPlace } from '../../helpers/data-place.js';
import { makeProject, type Project } from '../../helpers/project.js';
import { startProcess, type RunningProcess } from '../../helpers/processes.js';
import { hashTables } from '../../helpers/table-hashes.js';
import { startTemporal } from '../../helpers/temporal.js';
import { findChunks } from '../../../src/landing/deliveries.js';
import { runCli } from '../../helpers/run-cli.js';
import { startStub, type StubApi } from '../../stub/index.js';
import { Actor, openFileIn } from './actor.js';
import { differences, miscounted, runScript } from './checks.js';
import { isServer, planRounds, type ActorName, type Round } from './plan.js';
import { Sender } from './sender.js';
import { describeRun, polls, resultOf } from './temporal.js';
import { Data } from '../../../src/store/data.js';

export interface StormOptions {
  seed: number;
  rounds: number;
  companies: number;
  /** Receives one line per round. */
  say: (line: string) => void;
  /** Ends the storm after the current round. */
  signal?: AbortSignal;
}

export interface StormResult {
  rounds: number;
  strikes: number;
  acknowledged: number;
  /** Runs that reported complete and whose tables were compared. */
  complete: number;
  reads: number;
  /** Problems found, each with its round. */
  problems: string[];
}

const MARKET = 'storm';
// Long timeouts separate hangs from slowness: a busy machine takes minutes for what takes seconds.
const COMMAND_ENDS_WITHIN_MS = 300_000;
const RUN_ENDS_WITHIN_MS = 600_000;
const MOST_TRIES = 5;
// `publish --to` moves a link without opening a file, so nobody sees when it works. It is struck at any moment, and such
// strikes are not counted.
const UNSEEN = 'not seen at work';
// What a command may report while another one is running.
const EXPECTED =
  /is held by|There is no build before the current one|Another process|is in use by|being changed by|locked/i;

/** Runs rounds of processes that start together on one data folder and are struck at random. */
export async function runStorm(options: StormOptions): Promise<StormResult> {
  const storm = await Storm.open(options);
  try {
    const rounds = planRounds(options.seed);
    for (let number = 1; number <= options.rounds && !options.signal?.aborted; number++)
      await storm.round(number, rounds.next().value);
    await storm.replayAll();
    return await storm.result();
  } finally {
    await storm.close();
  }
}

class Storm {
  readonly #found: StormResult = { rounds: 0, strikes: 0, acknowledged: 0, complete: 0, reads: 0, problems: [] };
  readonly #reported = new Set<string>();
  readonly #sender: Sender;
  #readerLines = 0;
  #number = 0;
  /** This round's snapshot belongs to the day on which the round started. */
  #workflowId = '';

  private constructor(
    private readonly options: StormOptions,
    private readonly api: StubApi,
    private readonly temporal: TestWorkflowEnvironment,
    private readonly project: Project,
    private readonly place: DataPlace,
    private readonly ports: readonly [number, number],
    private readonly reader: RunningProcess,
  ) {
    this.#sender = new Sender(api.state);
  }

  /** State that lasts for all rounds. */
  static async open(options: StormOptions): Promise<Storm> {
    const [place, temporal, api, first, second] = await Promise.all([
      startDataPlace(),
      startTemporal(),
      startStub({ companies: options.companies, page: { standard: 5, most: 10, above: 'clamped' } }),
      freePort(),
      freePort(),
    ]);
    const project = makeProject({
      api,
      temporal: temporal.address,
      ...place.withData({
        config: {
          models: './models',
          // Few builds, so that some are removed while others are read or rolled back to.
          publish: { keep: 2 },
          markets: [{ name: MARKET, refresh: { companies: '0d', financials: '0d' } }],
        },
      }),
    });
    project.env['TIDEMARK_WEBHOOK_SECRET'] = api.state.secret;
    writeModel(project, 0);
    try {
      await firstNight(project);
      const reader = await startProcess(['--import', 'tsx', 'test/chaos/storm/reader.ts', project.dataDir], {
        env: project.env,
        ready: /reading/,
      });
      return new Storm(options, api, temporal, project, place, [first, second], reader);
    } catch (error) {
      await Promise.all([temporal.teardown(), api.close(), place.stop()]);
      project.remove();
      throw error;
    }
  }

  async round(number: number, round: Round): Promise<void> {
    this.#number = number;
    const begun = new Date();
    this.#workflowId = `snapshot/${MARKET}/${begun.toISOString().slice(0, 10)}`;
    this.#changeMarket(number);
    const acknowledgedBefore = this.#sender.acknowledged.size;
    this.#sender.start(this.ports.map((port) => `http://127.0.0.1:${port}/events`));
    const actors: Actor[] = [];
    const over = new AbortController();
    const striking = this.#startAndStrike(round, actors, over.signal);
    const { outcome, complete } = await this.#runEnds(begun, actors).finally(() => over.abort());
    const struck = (await striking).filter((strike) => strike !== null);
    await this.#sender.stop();
    await this.#stopAll(round, actors, struck);
    await this.#check(complete);
    this.#found.rounds++;
    this.#found.strikes += struck.filter((strike) => !strike.includes(UNSEEN)).length;
    this.#found.acknowledged = this.#sender.acknowledged.size;
    const problems = this.#found.problems.filter((problem) => problem.startsWith(`round ${number}:`));
    this.options.say(
      [
        `round ${number}: ${struck.length > 0 ? struck.join(', ') : 'nobody was struck at work'}`,
        `${outcome}; ${this.#sender.acknowledged.size - acknowledgedBefore} deliveries acknowledged; ${seconds(begun)} s${problems.length === 0 ? '; all well' : ''}`,
        ...problems.map((problem) => `WRONG ${problem}`),
      ].join('\n    '),
    );
  }

  /** Replays the whole landing zone elsewhere and expects the same tables. */
  async replayAll(): Promise<void> {
    const into = path.join(this.project.dir, 'replayed');
    const { code, stdout, stderr } = await this.#tidemark('replay', '--into', into);
    if (code !== 0) return this.#wrong(`the last replay failed: ${stdout}${stderr}`);
    const [lived, replayed] = [await hashTables(this.project.dataDir), await hashTables(into)];
    for (const name of new Set([...Object.keys(lived), ...Object.keys(replayed)]))
      if (lived[name] !== replayed[name])
        this.#wrong(`a replay gives another ${name}: ${replayed[name]} instead of ${lived[name]}`);
  }

  async result(): Promise<StormResult> {
    await this.reader.stop();
    const last = /\{"reads":(\d+)\}/.exec(this.reader.output());
    this.#found.reads = Number(last?.[1] ?? 0);
    return this.#found;
  }

  async close(): Promise<void> {
    await this.reader.stop();
    await Promise.all([this.temporal.teardown(), this.api.close(), this.place.stop()]);
    if (this.#found.problems.length === 0) this.project.remove();
    else this.options.say(`The data folder is kept for a look: ${this.project.dir}`);
  }

  #wrong(what: string): void {
    if (this.#reported.has(what)) return;
    this.#reported.add(what);
    this.#found.problems.push(`round ${this.#number}: ${what}`);
  }

  #tidemark(...args: string[]): ReturnType<typeof runCli> {
    return runCli(args, { cwd: this.project.dir, env: this.project.env as Record<string, string> });
  }

  /** Changes names of companies and the text of a model. */
  #changeMarket(number: number): void {
    const { companies } = this.api.state;
    for (let i = 0; i < 5; i++) {
      const company = companies[(number * 5 + i) % companies.length]!;
      company.name = `${company.name.split(' / ')[0]} / ${number}`;
    }
    writeModel(this.project, number);
  }

  /** Starts each process at its time, executes the strikes and returns their results. */
  async #startAndStrike({ starts, strikes }: Round, actors: Actor[], over: AbortSignal): Promise<(string | null)[]> {
    const start = (name: ActorName): Actor => {
      const isAtWork = (actor: Actor): Promise<string | null> => this.#isAtWork(actor);
      const actor = new Actor(name, this.#argsOf(name), this.project.env, { isAtWork });
      actors.push(actor);
      return actor;
    };
    const planned = Object.entries(starts) as [ActorName, number][];
    return Promise.all(
      planned.map(async ([name, at]) => {
        await sleep(at);
        const strike = strikes.find(({ target }) => target === name);
        let actor = start(name);
        if (strike === undefined) return null;
        for (let tries = 1; ; tries++) {
          // A receiver may be on standby for the whole round.
          const struck = await Promise.race([actor.strike(strike), sleep(60_000, null, { ref: false })]);
          // A command that ended before its strike is started again while the run continues.
          if (struck !== null || isServer(name) || over.aborted || tries === MOST_TRIES) return struck;
          actor = start(name);
        }
      }),
    );
  }

  #argsOf(name: ActorName): string[] {
    const listen = (port: number): string[] => ['watch', 'listen', '--port', String(port)];
    switch (name) {
      case 'worker A':
      case 'worker B':
        return ['worker'];
      case 'receiver A':
        return listen(this.ports[0]);
      case 'receiver B':
        return listen(this.ports[1]);
      case 'snapshot':
        return ['snapshot', '--json'];
      case 'publish --to':
        return ['publish', '--to', 'PREVIOUS'];
      case 'replay':
        return ['replay'];
      case 'compact':
        return ['compact', '--min-parts', '2'];
      case 'models apply':
        return ['models', 'apply'];
    }
  }

  /** What a process is doing, as others see it; null while it starts. */
  async #isAtWork(actor: Actor): Promise<string | null> {
    const { client } = this.temporal;
    switch (actor.name) {
      case 'worker A':
      case 'worker B': {
        if (!(await polls(client, actor.identity))) return null;
        const run = await describeRun(client, this.#workflowId);
        const own = (run?.activities ?? [])
          .filter(({ worker }) => worker.startsWith(actor.identity))
          .map(({ type }) => type);
        return own.length > 0 ? `at ${own.join(', ')}` : 'polling';
      }
      case 'receiver A':
      case 'receiver B': {
        const port = this.ports[actor.name === 'receiver A' ? 0 : 1];
        const { ok } = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(1_000) });
        return ok ? 'receiving' : null;
      }
      case 'snapshot': {
        const run = await describeRun(client, this.#workflowId);
        return run?.running ? 'following its run' : null;
      }
      case 'publish --to':
        return UNSEEN;
      case 'replay':
      case 'compact':
      case 'models apply': {
        const file = openFileIn(actor.pid, realpathSync(this.project.dataDir));
        return file === null ? null : `with ${file} open`;
      }
    }
  }

  /** Waits for the round's run to end and checks its claims against the build it made. */
  async #runEnds(begun: Date, actors: readonly Actor[]): Promise<{ outcome: string; complete: boolean }> {
    const { client } = this.temporal;
    for (const deadline = Date.now() + RUN_ENDS_WITHIN_MS; ; await sleep(200)) {
      const run = await describeRun(client, this.#workflowId);
      const isOfThisRound = run !== null && run.startedAt >= begun;
      if (isOfThisRound && !run.running) break;
      if (!isOfThisRound && actors.find(({ name }) => name === 'snapshot')?.hasEnded)
        return { outcome: 'no run was started', complete: false };
      if (Date.now() < deadline) continue;
      this.#wrong(`the run did not end: ${JSON.stringify(run)}`);
      await client.workflow.getHandle(this.#workflowId).terminate('it did not end');
      return { outcome: 'the run did not end', complete: false };
    }
    const result = await resultOf(client, this.#workflowId);
    if ('failed' in result) {
      this.#wrong(`the run failed: ${result.failed}`);
      return { outcome: 'the run failed', complete: false };
    }
    if (result.outcome !== 'complete' || result.incomplete || result.heldBack !== null)
      return { outcome: `the run was ${result.outcome} (${result.notes.join(' ')})`, complete: false };
    this.#found.complete++;
    const build = this.#buildOf(result.run);
    if (build !== null) await this.#compare(build, 'its build');
    return { outcome: `the run was complete${build === null ? ' (its build is gone)' : ''}`, complete: true };
  }

  async #compare(file: string, what: string): Promise<void> {
    for (const difference of await differences(file, this.api.state, MARKET))
      this.#wrong(`the run said complete, but ${what} has other ${difference}`);
  }

  /** The published file of a run's build. */
  #buildOf(run: string): string | null {
    const builds = path.join(this.project.dataDir, 'published', 'builds');
    const name = readdirSync(builds).find((entry) => !entry.startsWith('.') && entry.includes(run));
    const file = path.join(builds, name ?? '', 'market.duckdb');
    return name !== undefined && existsSync(file) ? file : null;
  }

  async #stopAll({ end }: Round, all: readonly Actor[], struck: string[]): Promise<void> {
    const serves = ({ name }: Actor): boolean => isServer(name) && name !== 'snapshot';
    await Promise.all(
      all.filter(serves).map(async (actor) => {
        const doing = await actor.work();
        // The second receiver may be on standby or give up, as long as one accepts deliveries.
        const stepsBack = actor.name.startsWith('receiver') && EXPECTED.test(actor.output());
        if (actor.hasEnded && !actor.struck && !stepsBack)
          this.#wrong(`${actor.name} ended by itself: ${actor.output()}`);
        if (end === 'SIGKILL' && doing !== null && !actor.hasEnded)
          struck.push(`killed ${actor.name} at the end (${doing})`);
        if (!(await actor.stop(end))) this.#wrong(`${actor.name} did not end on SIGTERM: ${actor.output()}`);
      }),
    );
    await Promise.all(
      all
        .filter((actor) => !serves(actor))
        .map(async (actor) => {
          if (!(await actor.ends(COMMAND_ENDS_WITHIN_MS))) {
            this.#wrong(`${actor.name} did not end: ${actor.output()}`);
            await actor.stop('SIGKILL');
          }
          if (actor.struck || actor.code === 0 || EXPECTED.test(actor.output())) return;
          if (actor.name === 'snapshot' && actor.output().includes('"outcome"')) return;
          this.#wrong(`${actor.name} ended with ${actor.code}: ${actor.output()}`);
        }),
    );
  }

  /** Loads everything landed, builds the models and publishes. Returns what went wrong, or null. */
  async #load(): Promise<string | null> {
    const { env, dataDir, dir } = this.project;
    if (!this.place.isBucket) return runScript('load.ts', [dataDir, path.join(dir, 'models')], env);
    for (const command of [['models', 'apply'], ['publish']]) {
      const { code, stdout, stderr } = await this.#tidemark(...command);
      if (code !== 0) return `${command.join(' ')}: ${stdout}${stderr}`;
    }
    return null;
  }

  /** Loads everything landed and compares the tables with acknowledgements and claims. */
  async #check(complete: boolean): Promise<void> {
    const { env, dataDir, published } = this.project;
    // A receiver takes over the spool of a killed one.
    const receiver = new Actor('receiver A', this.#argsOf('receiver A'), env, {
      isAtWork: (actor) => this.#isAtWork(actor),
    });
    const takenOver = async (): Promise<boolean> =>
      (await receiver.work()) !== null && (await findChunks(new Data(dataDir))).length === 0;
    for (const deadline = Date.now() + 120_000; !(await takenOver()); await sleep(50)) {
      if (!receiver.hasEnded && Date.now() < deadline) continue;
      this.#wrong(`no receiver takes over after the round: ${receiver.output()}`);
      break;
    }
    await receiver.stop('SIGTERM');
    const failed = await this.#load();
    if (failed !== null) return this.#wrong(`the warehouse cannot be loaded: ${failed}`);
    if (complete) await this.#compare(published, 'the warehouse');
    const lost = await miscounted(published, this.#sender.acknowledged);
    for (const { key, times } of lost) {
      if (this.#reported.has(key)) continue;
      this.#reported.add(key);
      this.#wrong(`the delivery ${key} was answered 200 and is in the warehouse ${times} times`);
    }
    const lines = this.reader
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{"at"'));
    for (const line of lines.slice(this.#readerLines)) this.#wrong(`a reader: ${line}`);
    this.#readerLines = lines.length;
  }
}

/** Runs a night without strikes, so that there are builds to read and roll back to. */
async function firstNight(project: Project): Promise<void> {
  const worker = await project.startWorker();
  try {
    for (const command of [['snapshot'], ['publish']]) {
      const { code, stderr } = await runCli(command, { cwd: project.dir, env: project.env as Record<string, string> });
      if (code !== 0) throw new Error(`the first night failed: ${stderr}`);
    }
  } finally {
    await worker.stop();
  }
}

/** A user's model that changes in each round, so that `models apply` has work. */
function writeModel(project: Project, number: number): void {
  const folder = path.join(project.dir, 'models', 'marts');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    path.join(folder, 'storm.sql'),
    `/*
model: marts.storm
kind: table
version: 1
grain: company
key: [company_id]
description: Companies, and the round of the storm.
columns:
  company_id: BIGINT | Id of the company
  round: INTEGER | Round
*/
SELECT company_id, ${number}::INTEGER AS round FROM core.companies
`,
  );
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function seconds(since: Date): string {
  return ((Date.now() - since.getTime()) / 1_000).toFixed(0);
}
