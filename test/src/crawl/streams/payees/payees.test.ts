import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RunContext } from '../../../../../schemas/pipeline/run.js';
import { createApiClient } from '../../../../../src/api/index.js';
import { createClock } from '../../../../../src/base/time/clock.js';
import { loadConfig } from '../../../../../src/config/config.js';
import { runFolder } from '../../../../../src/store/data-folder.js';
import { createLog } from '../../../../../src/config/log.js';
import { fetchChunk } from '../../../../../src/crawl/chunks/fetch-chunk.js';
import type { CrawlDeps, Heartbeat } from '../../../../../src/crawl/records/deps.js';
import { askedQuestions } from '../../../../../src/crawl/streams/asked-questions.js';
import { closeRun } from '../../../../../src/crawl/run/close-run.js';
import { openRun } from '../../../../../src/crawl/run/open-run.js';
import { readRunRows, spoolFile } from '../../../../../src/landing/index.js';
import { bookAttempt } from '../../../../../src/landing/request-log.js';
import { makeProject, type Project } from '../../../../helpers/project.js';
import { ALONE, UNCHECKED } from '../../../../helpers/activity-inputs.js';
import { Data } from '../../../../../src/store/data.js';

const KEY = 'a-key-of-this-test';
const FIRST: Heartbeat = { report: () => undefined, signal: new AbortController().signal, attempt: 1 };
const ACCOUNTS = ['4081726351', '4081726352', '4081726353', '4081726354'];

let server: Server;
let project: Project;
let deps: CrawlDeps;
let ctx: RunContext;
/** `METHOD path account` of each request but those for metrics. */
let asked: string[];
let abort: AbortController;
/** The API's answer to the nth request for an account; 'cut' ends the connection without an answer. */
let answer: (account: string, nth: number) => [status: number, body: unknown] | 'cut';

beforeEach(async () => {
  asked = [];
  abort = new AbortController();
  answer = (account) => [201, { id: Number(account) % 10, decision: 'OK_TO_PAY', said: `for ${account}` }];
  server = createServer((request, response) => {
    void (async () => {
      const said = await text(request);
      if (request.url === '/v2/metrics') return response.end('[]');
      const account = (JSON.parse(said || '{}') as { id?: string }).id ?? '';
      asked.push(`${request.method} ${request.url} ${account}`);
      const nth = asked.filter((one) => one.endsWith(account)).length;
      const given = answer(account, nth);
      if (given === 'cut') return request.socket.destroy();
      return response.writeHead(given[0], { 'content-type': 'application/json' }).end(JSON.stringify(given[1]));
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  project = makeProject({ api: { url, key: KEY }, temporal: 'none' });
  begin();
  deps.client = createApiClient({
    baseUrl: url,
    apiKey: KEY,
    retryBaseMs: 1,
    retryCapMs: 2,
    maxRetries: 2,
    requestsPerSecond: 1e6,
    onAttempt: bookAttempt,
  });
  const list = path.join(project.dataDir, 'payees', 'list.csv');
  mkdirSync(path.dirname(list), { recursive: true });
  writeFileSync(
    list,
    ['account,scheme,country,bank_code', ...ACCOUNTS.map((id) => `${id},ACNR,US,021`), '99887766,ACNR,US,'].join('\n'),
  );
});

afterEach(async () => {
  await deps.client.close();
  server.closeAllConnections();
  server.close();
  project.remove();
});

function begin(): void {
  const config = loadConfig(project.env['TIDEMARK_CONFIG'] ?? '', project.env);
  deps = { ...deps, config, data: new Data(config.dataDir), clock: createClock({}), log: createLog('test') };
  ctx = openRun(config, deps.clock, {
    workflowType: 'checkPayees',
    workflowId: 'w',
    run: 'run-1',
    input: { file: 'payees/list.csv' },
  });
}

/** @param earlier ids of the latest checks of the first payees */
async function check(heartbeat = FIRST, earlier: string[] = []): ReturnType<typeof fetchChunk> {
  const questions = await askedQuestions(deps, ctx);
  const folder = path.join(project.dataDir, 'runs', ctx.run, 'due', 'payee_checks');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    path.join(folder, 'chunk-00000.json'),
    JSON.stringify(questions.map((id, i) => ({ id, reason: 'new', about: earlier[i] ?? null }))),
  );
  return fetchChunk(deps, { ...ALONE, ctx, stream: 'payee_checks', chunk: 0, concurrency: 1 }, heartbeat);
}

const landed = () =>
  readRunRows({ data: new Data(project.dataDir), stream: 'payee_checks', run: ctx.run, date: ctx.date }).filter(
    ({ row_kind }) => row_kind !== 'bad-row',
  );
const rowKinds = () => landed().map(({ row_kind }) => row_kind);
const requestsFor = (account = '') => asked.filter((one) => one.endsWith(account)).length;

it('lands each answer once, without an account number', async () => {
  expect(await check()).toMatchObject({ rows: 4, requests: 4, failed: 0 });
  expect(rowKinds()).toEqual(['call-1', 'call-1', 'call-1', 'call-1']);
  const rows = readRunRows({
    data: new Data(project.dataDir),
    stream: 'payee_checks',
    run: ctx.run,
    date: ctx.date,
  });
  for (const account of [...ACCOUNTS, '99887766']) expect(JSON.stringify(rows)).not.toContain(account);
  expect(rows.map(({ body }) => body)).toContain('{"id":1,"decision":"OK_TO_PAY","said":"for …6351"}');
});

it('has each answer that costs money in the spool before it sends the next request', async () => {
  const folder = runFolder({
    data: new Data(project.dataDir),
    stream: 'payee_checks',
    run: ctx.run,
    date: ctx.date,
  });
  const spool = spoolFile(folder, 'payee_checks-00000');
  const spooled: number[] = [];
  answer = (account) => {
    const lines = readFileSync(spool, 'utf8').split('\n');
    spooled.push(lines.filter((line) => line.includes('"row_kind":"call-1"')).length);
    return [201, { id: Number(account) % 10, decision: 'OK_TO_PAY' }];
  };
  await check();
  expect(spooled).toEqual([0, 1, 2, 3]);
});

it('keeps the account number with personalData: contacts', async () => {
  deps = { ...deps, config: { ...deps.config, personalData: 'contacts' } };
  await check();
  expect(JSON.stringify(landed())).toContain(ACCOUNTS[0]);
});

it('repeats a check once whose connection broke, and counts both calls', async () => {
  answer = (account, nth) => (account === ACCOUNTS[1] && nth === 1 ? 'cut' : [200, { id: 1, decision: 'OK_TO_PAY' }]);
  expect(await check()).toMatchObject({ rows: 4, failed: 0 });
  expect(ACCOUNTS.map(requestsFor)).toEqual([1, 2, 1, 1]);
  expect(rowKinds().toSorted()).toEqual(['call-1', 'call-1', 'call-1', 'call-2']);
});

it('files a check as failed that broke twice', async () => {
  answer = (account) => (account === ACCOUNTS[1] ? 'cut' : [200, { id: 1 }]);
  expect(await check()).toMatchObject({ rows: 4, failed: 1 });
  expect(ACCOUNTS.map(requestsFor)).toEqual([1, 2, 1, 1]);
});

it('does not repeat a check that the API calls invalid, and lands its reason without the account', async () => {
  answer = (account) => (account === ACCOUNTS[2] ? [422, { id: [`${account} is no account.`] }] : [200, { id: 1 }]);
  expect(await check()).toMatchObject({ failed: 1 });
  expect(requestsFor(ACCOUNTS[2])).toBe(1);
  const [refused] = landed().filter(({ row_kind }) => row_kind === 'failed');
  expect(refused?.body).toContain('…6353 is no account.');
});

it('repeats no answered check to compare it with failing ones', async () => {
  answer = (account) =>
    account === ACCOUNTS[0]
      ? [200, { id: 1 }]
      : [403, { detail: 'You do not have permission to perform this action.' }];
  await check();
  expect(requestsFor(ACCOUNTS[0])).toBe(1);
});

it('waits for the answer in flight when the worker stops, and resumes behind it', async () => {
  answer = (account) => {
    if (account === ACCOUNTS[1]) abort.abort();
    return [200, { id: 1 }];
  };
  await expect(check({ ...FIRST, signal: abort.signal })).rejects.toThrow('aborted');
  expect(requestsFor()).toBe(2);
  begin();
  expect(await check()).toMatchObject({ rows: 4, requests: 2 });
  expect(ACCOUNTS.map(requestsFor)).toEqual([1, 1, 1, 1]);
  expect(rowKinds()).toEqual(['call-1', 'call-1', 'call-1', 'call-1']);
});

it('repeats an old check by its id, and checks anew if the API no longer knows it', async () => {
  answer = (account) =>
    account === '' && requestsFor('kyp%2F1 ') > 0 ? [404, { detail: 'Not found.' }] : [200, { id: 1 }];
  await check(FIRST, ['kyp/0', 'kyp/1']);
  expect(asked.slice(0, 3)).toEqual([
    'POST /v2/know-your-payee/kyp%2F0 ',
    'POST /v2/know-your-payee/kyp%2F1 ',
    `POST /v2/know-your-payee ${ACCOUNTS[1]}`,
  ]);
  expect(landed()[0]?.request_key).toBe('POST /v2/know-your-payee/kyp%2F0 {}');
});

it('removes the list when the run ends', async () => {
  await check();
  const list = path.join(project.dataDir, 'payees', 'list.csv');
  expect(readFileSync(list, 'utf8')).toContain(ACCOUNTS[0]);
  await closeRun(deps, { ...UNCHECKED, ctx, outcome: 'failed', note: null, heldBack: null });
  expect(existsSync(list)).toBe(false);
});
