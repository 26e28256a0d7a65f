import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ApiError, QueryAnswer } from '../../../../schemas/explorer/api.js';
import { publishTwoNights, startTestExplorer, type TestExplorer } from '../../../helpers/explorer.js';

const LONG_QUERY = 'SELECT count(*) FROM range(1000000) a, range(1000000) b';
let dataDir: string;
let explorer: TestExplorer;
let cookie: string;
let next = 0;

beforeAll(async () => {
  dataDir = await publishTwoNights((id) => `Company ${id}`);
  explorer = await startTestExplorer(dataDir);
  const signIn = await fetch(explorer.address, { redirect: 'manual' });
  cookie = signIn.headers.get('set-cookie')?.split(';')[0] ?? '';
});
afterAll(async () => {
  await explorer.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const newId = (): string => `flood-${String(next++).padStart(8, '0')}`;
const run = async (sql: string, more: object = {}): Promise<QueryAnswer & ApiError> =>
  explorer.post('/api/v1/query', { id: newId(), sql, ...more });

/** A request of a signed-in client, as text. */
function asText(method: string, at: string, body?: object): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  return `${method} ${at} HTTP/1.1\r\nHost: 127.0.0.1:${explorer.port}\r\nCookie: ${cookie}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`;
}

function send(text: string): { socket: Socket; said: () => string } {
  const socket = connect(explorer.port, '127.0.0.1').on('error', () => undefined);
  let said = '';
  socket.on('data', (data: Buffer) => (said += data.toString()));
  socket.write(text);
  return { socket, said: () => said };
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 20));
}

/** Ids of the processes that run queries for this test. */
function queryProcesses(): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && parentOf(pid) === process.pid && read(pid, 'cmdline').includes('query-process'));
}

const parentOf = (pid: number): number => Number(/^PPid:\s*(\d+)$/m.exec(read(pid, 'status'))?.[1]);

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}

it('runs pipelined queries one after the other, and none after the client went away', async () => {
  const query = { sql: LONG_QUERY, seconds: 600 };
  const { socket } = send(
    Array.from({ length: 6 }, () => asText('POST', '/api/v1/query', { id: newId(), ...query })).join(''),
  );
  await until(() => queryProcesses().length > 0);
  expect(queryProcesses().length).toBe(1);
  socket.destroy();
  // All places are free again: the cancelled query has left, and the waiting ones did not begin.
  const answers = await Promise.all(Array.from({ length: 3 }, () => run('SELECT 7')));
  expect(answers.map(({ rows }) => rows)).toEqual([[[7]], [[7]], [[7]]]);
});

it('limits the queries that run at the same time, however many connections ask', async () => {
  const sent = Array.from({ length: 20 }, () =>
    send(asText('POST', '/api/v1/query', { id: newId(), sql: LONG_QUERY, seconds: 600 })),
  );
  await until(() => sent.filter(({ said }) => said().includes('queries are running already')).length === 16);
  expect(queryProcesses().length).toBeLessThanOrEqual(4);
  for (const { socket } of sent) socket.destroy();
  await until(async () => (await run('SELECT 7')).rows !== undefined);
});

it('answers others while clients do not take their answers', async () => {
  // Each answer has 20 MB, and the clients read nothing.
  const sql = `SELECT repeat('x', 19000) FROM range(1000)`;
  const stuck = Array.from({ length: 3 }, () => {
    const { socket } = send(asText('POST', '/api/v1/query', { id: newId(), sql, rows: 1_000 }));
    socket.pause();
    return socket;
  });
  await until(async () => (await run('SELECT 7')).rows?.[0]?.[0] === 7);
  expect(stuck.every((socket) => socket.bytesRead < 1_000_000)).toBe(true);
  for (const socket of stuck) socket.destroy();
});

it('refuses requests above its limit early, and recovers', async () => {
  const bodies = Array.from({ length: 60 }, () =>
    // The body never comes, so the request stays open.
    send(asText('POST', '/api/v1/query', { id: newId(), sql: 'SELECT 7' }).slice(0, -10)),
  );
  await until(() => bodies.some(({ said }) => said().startsWith('HTTP/1.1 503')));
  expect(bodies.filter(({ said }) => said() !== '').every(({ said }) => /retry-after: 1/i.test(said()))).toBe(true);
  for (const { socket } of bodies) socket.destroy();
  await until(async () => (await explorer.ask('/api/v1/about')).status === 200);
});

it('keeps errors short, whatever the request says', async () => {
  const names = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`unknown_field_${i}`, 1]));
  for (const body of [
    { id: newId(), sql: 'SELECT 1', ...names },
    { id: newId(), sql: `SELECT ${'x'.repeat(150_000)}` },
  ]) {
    const { error } = await explorer.post<ApiError>('/api/v1/query', body);
    expect(error.message.length).toBeLessThan(2_100);
  }
});

it('runs each thread of a query behind the crawl', async () => {
  await run('SELECT count(*) FROM range(1000000)');
  const [pid = 0] = queryProcesses();
  const threads = readdirSync(`/proc/${pid}/task`);
  const nice = threads.map((id) => Number(read(pid, `task/${id}/stat`).split(') ').at(-1)?.split(' ')[16]));
  expect(new Set(nice)).toEqual(new Set([15]));
});

it('saves no more than a thousand queries', async () => {
  mkdirSync(explorer.savedQueries, { recursive: true });
  for (let i = 0; i < 1_000; i++) writeFileSync(path.join(explorer.savedQueries, `q${i}.sql`), 'SELECT 1');
  const save = async (name: string): Promise<number> =>
    (
      await explorer.ask(`/api/v1/saved/${name}`, {
        method: 'PUT',
        body: JSON.stringify({ sql: 'SELECT 2' }),
        headers: { 'content-type': 'application/json' },
      })
    ).status;
  expect([await save('another'), await save('q7')]).toEqual([400, 204]);
});
