import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { ROOT } from '../../../helpers/processes.js';
import { startGateway } from '../../../helpers/versitygw.js';

const RACERS = 6;
const RACE_MS = 20_000;
const TIMES = { leaseMs: 600, beatMs: 60 };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'tidemark-race-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Lets processes race for a lock, and kills and pauses them at random. Returns what they wrote to the journal. */
async function race(place: string, options: object, env: Record<string, string> = {}): Promise<number[][]> {
  const journal = path.join(folder, 'journal');
  writeFileSync(journal, '');
  const until = Date.now() + RACE_MS;
  const racers = new Set<ChildProcess>();
  let crashes = 0;
  const start = (): void => {
    const script = path.join(ROOT, 'test/helpers/lock-racer.ts');
    const args = ['--import', 'tsx', script, place, JSON.stringify({ ...TIMES, ...options }), String(until), journal];
    const racer = spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...env } });
    racers.add(racer);
    racer.on('exit', (code) => {
      racers.delete(racer);
      if (code !== null && code !== 0) crashes++;
    });
  };
  onTestFinished(() => {
    for (const racer of racers) racer.kill('SIGKILL');
  });
  for (let n = 0; n < RACERS; n++) start();
  while (Date.now() < until) {
    await sleep(100 + Math.random() * 300);
    const racer = [...racers][Math.floor(Math.random() * racers.size)];
    if (Math.random() < 0.15) {
      racer?.kill('SIGKILL');
      start();
    } else {
      racer?.kill('SIGSTOP');
      setTimeout(() => racer?.kill('SIGCONT'), 300 + Math.random() * 900);
    }
  }
  while (racers.size > 0) await sleep(50);
  expect(crashes).toBe(0);
  const lines = readFileSync(journal, 'utf8').trim().split('\n');
  return lines.map((line) => line.split(' ').map(Number)).toSorted(([a = 0], [b = 0]) => a - b);
}

/** Each count was written once, in the order of the tokens, and each token belongs to one process. */
function expectNoLateWrite(written: readonly number[][]): void {
  const owners = new Map<number, number>();
  const faults = written.filter(([count, token = 0, pid = 0], i) => {
    const [lastCount = 0, lastToken = 0] = written[i - 1] ?? [];
    const owner = token === 0 ? pid : (owners.get(token) ?? pid);
    owners.set(token, owner);
    return count === lastCount || token < lastToken || owner !== pid;
  });
  expect(faults).toEqual([]);
  expect(written.length).toBeGreaterThan(20);
}

it.each([
  ['on one machine', {}],
  ['on machines that cannot see each other', { place: '' }],
])('loses no write under a lock of a folder: %s', async (_name, options) => {
  expectNoLateWrite(await race(folder, options));
});

it('loses no write under a lease in a folder', async () => {
  expectNoLateWrite(await race(folder, { key: 'lease.json', place: '' }));
});

it('loses no write under a lease in a bucket', async () => {
  const gateway = await startGateway();
  onTestFinished(async () => gateway.remove());
  expectNoLateWrite(await race(`s3://${gateway.bucket}/race`, { key: 'lease.json', place: '' }, gateway.env));
});
