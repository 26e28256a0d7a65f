import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiError, QueryAnswer } from '../../../schemas/explorer/api.js';
import { freePort } from '../../../src/cli/terminal/ports.js';
import { listBuilds } from '../../../src/warehouse/builds/builds.js';
import { errorMessage } from '../../../src/base/errors.js';
import { MAX_SECONDS } from '../../../src/serve/explorer/user-sql/limits.js';
import { cleanEnv, findBuild, ROOT, startProcess } from '../../helpers/processes.js';
import { runCli } from '../../helpers/run-cli.js';
import { land } from '../../helpers/warehouse.js';
import { Looks, type Look } from './look.js';
import { ALL_MARKERS, answersOf, MARKERS, MODELS } from './night.js';
import { generator } from '../../../bench/planner/random.js';

/*
 * Readers in a loop while nights are published and the publishing process is killed at random moments. No reader may get
 * an error, tables of several nights, or an older night than before. TIDEMARK_TEST_PYTHONS has the paths of Python
 * interpreters with a `duckdb` package, separated by colons.
 */
const PUBLICATIONS = Number(process.env['TIDEMARK_TEST_PUBLICATIONS'] ?? 500);
const KILL_EVERY = 10;
const SEED = Number(process.env['TIDEMARK_TEST_SEED'] ?? 1);
const PYTHONS = (process.env['TIDEMARK_TEST_PYTHONS'] ?? '').split(':').filter((python) => python !== '');
/** A reader looks once after this number of publications, and at a random moment. Starting a command costs the most. */
const LOOKS_EVERY = { explorer: 2, python: 3, command: 8 };

let dataDir: string;
const looks: Looks[] = [];
const kills: string[] = [];
const failures: string[] = [];
/** How far the test is. `landed` is the number of the last night. */
const progress = { published: 0, landed: 0, ends: false };

/** Publishes until all publications are done. Kills the process about every ninth publication, and starts it again. */
async function publishAll(): Promise<void> {
  const random = generator(SEED);
  while (progress.published < PUBLICATIONS && failures.length < 3) {
    const until = Math.floor(random() * KILL_EVERY * 1.8);
    const kill = { at: progress.published + until, step: random() < 0.3 ? 'load' : 'publish', delay: random() * 400 };
    await publishUntil(kill);
  }
}

/** Publishes nights in another process, until this process is killed or all nights are published. */
async function publishUntil(kill: { at: number; step: string; delay: number } | undefined): Promise<void> {
  const args = ['test/chaos/readers/publisher.mjs', findBuild(), dataDir, MODELS.join(',')];
  const env = cleanEnv({ TIDEMARK_WAREHOUSE_THREADS: '1' });
  const child = spawn(process.execPath, args, { cwd: ROOT, env, stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  child.stdin.on('error', () => undefined); // the process may be killed
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-2_000)));
  for await (const line of createInterface({ input: child.stdout })) {
    const [step = '', night = ''] = line.split(' ');
    if (step === 'published') {
      progress.published++;
      if (progress.published % 50 === 0) tell();
      if (kill === undefined) break;
    }
    if ((step === 'ready' || step === 'published') && progress.published < PUBLICATIONS) {
      await land(dataDir, answersOf(++progress.landed));
      child.stdin.write(`${progress.landed}\n`);
    }
    if (progress.published === PUBLICATIONS) child.stdin.end();
    if (step === kill?.step && progress.published === kill.at)
      setTimeout(() => {
        if (child.kill('SIGKILL')) kills.push(`${step} + ${Math.round(kill.delay)} ms of night ${night}`);
      }, kill.delay);
  }
  child.stdin.end();
  const [code] = (await ended) as [number | null];
  if (code !== null && code !== 0) failures.push(`the publisher ended with ${code}: ${errors}`);
}

/** Prints how far the test is. */
function tell(): void {
  const builds = progress.published === 0 ? 0 : listBuilds(dataDir).length;
  const seen = looks.map(
    ({ reader, count, seen: nights, faults }) =>
      `${reader}: ${count} looks, ${nights.size} nights, ${faults.length} faults`,
  );
  process.stdout.write(
    `${progress.published} publications, ${kills.length} kills, ${builds} builds kept; ${seen.join('; ')}\n`,
  );
}

/** Looks again and again, and once more after the last publication. */
async function loop(reader: string, every: number, look: () => Promise<Look>): Promise<void> {
  const found = new Looks(reader);
  looks.push(found);
  for (let isLast = false; ;) {
    found.add(await look().catch((error: unknown) => ({ error: errorMessage(error) })));
    if (isLast) return;
    const next = progress.published + every;
    while (progress.published < next && !progress.ends) await sleep(20);
    isLast = progress.ends;
    if (!isLast) await sleep(Math.random() * 500);
  }
}

async function readWithPython(python: string): Promise<void> {
  const queries = JSON.stringify({ all: ALL_MARKERS, markers: MARKERS });
  const child = spawn(python, [path.join(import.meta.dirname, 'reader.py'), dataDir, queries], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<Look & { ready?: string }> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error(`${python} ended`);
    return JSON.parse(value) as Look;
  };
  const { ready } = await next();
  await loop(`Python, ${ready}`, LOOKS_EVERY.python, async () => {
    child.stdin.write('look\n');
    return next();
  });
  child.stdin.end();
}

/** Starts `tidemark ui`. Returns a function that asks its API as a browser does. */
async function startExplorer(): Promise<{
  ask: (sql: string) => Promise<QueryAnswer & ApiError>;
  stop: () => Promise<void>;
}> {
  const args = ['--port', String(await freePort(21_500)), '--queries', path.join(dataDir, 'queries')];
  const process = await startProcess(['bin/tidemark.mjs', 'ui', ...args], {
    cwd: dataDir,
    env: cleanEnv({ TIDEMARK_WAREHOUSE_THREADS: '1' }),
    ready: /^Explorer +http/,
  });
  const address = /http\S+/.exec(process.readyLine)?.[0] ?? '';
  const cookie = (await fetch(address, { redirect: 'manual' })).headers.get('set-cookie')?.split(';')[0] ?? '';
  const headers = { cookie, 'content-type': 'application/json' };
  let id = 0;
  const ask = async (sql: string): Promise<QueryAnswer & ApiError> => {
    // A busy machine may need longer than the default limit of 30 s.
    const body = JSON.stringify({ seconds: MAX_SECONDS, id: `reader-${String(id++).padStart(8, '0')}`, sql });
    const response = await fetch(new URL('/api/v1/query', address), { method: 'POST', headers, body });
    return (await response.json()) as QueryAnswer & ApiError;
  };
  return { ask, stop: () => process.stop('SIGINT') };
}

beforeAll(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-readers-'));
  writeFileSync(path.join(dataDir, 'tidemark.yaml'), 'api: { baseUrl: "http://127.0.0.1:1" }\ndata: .\n');
  await publishUntil(undefined);
  const explorer = await startExplorer();
  const readers = [
    loop('explorer', LOOKS_EVERY.explorer, async () => {
      const { rows, error } = await explorer.ask(ALL_MARKERS);
      return error === undefined ? { nights: rows[0]!.map(Number) } : { error: JSON.stringify(error) };
    }),
    loop('tidemark sql', LOOKS_EVERY.command, async () => {
      const { code, stdout, stderr } = await runCli(['sql', ALL_MARKERS, '--format', 'json'], { cwd: dataDir });
      if (code !== 0) return { error: stderr };
      const [row] = JSON.parse(stdout) as Record<string, number>[];
      return { nights: Object.values(row ?? {}).map(Number) };
    }),
    ...PYTHONS.map(readWithPython),
  ];
  await publishAll().finally(() => (progress.ends = true));
  await Promise.all(readers);
  await explorer.stop();
  tell();
}, 7_200_000);

afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

describe(`readers during ${PUBLICATIONS} publications with kills`, () => {
  it('publishes again after each kill', () => {
    expect(failures).toEqual([]);
    expect(progress.published).toBe(PUBLICATIONS);
    // About every ninth publication ends with a kill.
    expect(kills.length).toBeGreaterThanOrEqual(Math.floor(PUBLICATIONS / 12 - 1));
  });

  const expectNone = (reader: RegExp): void => {
    const found = looks.filter((one) => reader.test(one.reader));
    expect(found.length).toBeGreaterThan(0);
    for (const one of found) {
      expect({ reader: one.reader, faults: one.faults }).toEqual({ reader: one.reader, faults: [] });
      expect(Math.max(...one.seen)).toBe(progress.landed);
    }
  };
  it('shows the explorer whole nights in their order', () => expectNone(/^explorer$/));
  it('shows `tidemark sql` whole nights in their order', () => expectNone(/^tidemark sql$/));
  it.skipIf(PYTHONS.length === 0)(
    `shows Python's duckdb whole nights of file and lake in their order${PYTHONS.length === 0 ? ' (skipped: set TIDEMARK_TEST_PYTHONS to interpreters with duckdb 1.5 and 2)' : ''}`,
    () => expectNone(/^Python/),
  );

  it('leaves no partial build behind', () => {
    const names = listBuilds(dataDir).map(({ name }) => name);
    expect(existsSync(path.join(dataDir, 'published', 'current', 'market.duckdb'))).toBe(true);
    expect(readdirSync(path.join(dataDir, 'published', 'builds')).toSorted()).toEqual(names.toSorted());
  });
});
