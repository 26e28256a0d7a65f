import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { checkStorage } from '../../../../src/cli/doctor/check-storage.js';
import { takeLease } from '../../../../src/store/lease.js';
import { openStorage } from '../../../../src/store/open.js';
import type { Storage } from '../../../../src/store/storage.js';
import { startLackingBucket, type LackingBucket, type Lacks } from '../../../helpers/lacking-bucket.js';

const ENV = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' };
const QUICK = { forMs: 50, pauseMs: 1, longestMs: 5 };
const LEASE = 'lease.json';
const CHECK = { setting: 'publish.to', lease: LEASE };

let bucket: LackingBucket | undefined;
afterEach(() => bucket?.close());

async function openLacking(lacks: Lacks = {}): Promise<Storage> {
  bucket = await startLackingBucket(lacks);
  return openStorage('s3://bucket', { endpoint: bucket.url }, ENV, QUICK);
}

/** What the check finds, by the name of the check without the setting. */
async function find(storage: Storage, beatWaitMs?: number): Promise<Record<string, string>> {
  const findings = await checkStorage(storage, beatWaitMs === undefined ? CHECK : { ...CHECK, beatWaitMs });
  return Object.fromEntries(
    findings.map(({ check, state, message }) => [check.replace('publish.to: ', ''), `${state}: ${message}`]),
  );
}

function openFolder(): { storage: Storage; folder: string } {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-check-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { storage: openStorage(folder), folder };
}

it('finds no fault in a service with all abilities, and leaves no file there', async () => {
  expect(await find(await openLacking())).toEqual({
    rights: 'ok: s3://bucket: list, create, read, replace and remove succeed',
    writes: 'ok: a second create and a late replace are refused; of 8 writers at once, exactly one succeeded',
    clock: 'ok: the clock of this machine agrees with the service (0 s)',
    lease: 'ok: free: no process took lease.json yet',
  });
  expect(bucket?.keys()).toEqual([]);
});

it('finds no fault in a folder, which has no clock, and leaves no file there', async () => {
  const { storage, folder } = openFolder();
  const found = await find(storage);
  expect(Object.entries(found).map(([check, text]) => `${check} ${text.slice(0, 2)}`)).toEqual([
    'rights ok',
    'writes ok',
    'lease ok',
  ]);
  expect(readdirSync(folder, { recursive: true })).toEqual([]);
});

it.each([
  ['LIST', 'cannot list files'],
  ['PUT', 'cannot create a file'],
  ['GET', 'cannot read a file'],
  ['DELETE', 'cannot remove a file'],
] as const)('says what fails without the right to %s', async (refuses, words) => {
  const [rights, writes] = await checkStorage(await openLacking({ refuses }), CHECK);
  expect(rights).toMatchObject({
    state: 'fail',
    message: expect.stringMatching(new RegExp(`^${words}: s3://bucket.*the credentials lack a right`)),
    todo: expect.stringContaining('s3:DeleteObject'),
  });
  expect(writes?.state).toBe('skip');
});

it.each([
  [{ ignores: 'if-none-match' }, 'lets a second process create the same file (it ignores If-None-Match)'],
  [{ ignores: 'if-match' }, 'lets a process replace a file that changed meanwhile (it ignores If-Match)'],
] satisfies [Lacks, string][])('finds a service that lacks a conditional write: %j', async (lacks, words) => {
  const found = await find(await openLacking(lacks));
  expect(found['rights']).toMatch(/^ok/);
  expect(found['writes']).toBe(`fail: s3://bucket ${words}.`);
});

it('finds a service that does not decide a race', async () => {
  const found = await find(await openLacking({ races: true }));
  expect(found['writes']).toMatch(/^fail: s3:\/\/bucket lets [2-8] of 8 processes replace the same version\.$/);
});

it.each([
  [{ listsLate: true }, 'does not list the file that was just written'],
  [{ keepsRemoved: true }, 'still has a file that was removed'],
] satisfies [Lacks, string][])('finds a service that shows old files: %j', async (lacks, words) => {
  expect((await find(await openLacking(lacks)))['rights']).toBe(`fail: s3://bucket ${words}.`);
});

it.each([
  [20, /^ok/],
  [100, /^warn: the clock of this machine is (9\d|100) s behind the clock of the service$/],
  [-100, /^warn: the clock of this machine is (99|1\d\d) s ahead of the clock of the service$/],
  [1_000, /^fail: .* s behind the clock of the service$/],
  [null, /^skip: the service does not say its time$/],
])('compares the clocks if the service is %s s ahead', async (ahead, words) => {
  expect((await find(await openLacking({ ahead })))['clock']).toMatch(words);
});

it('compares the clocks even if the credentials are refused', async () => {
  const found = await find(await openLacking({ refuses: 'PUT', ahead: 1_000 }));
  expect(found['clock']).toMatch(/^fail/);
});

it('reports once that a service cannot be reached', async () => {
  const found = await find(openStorage('s3://bucket', { endpoint: 'http://127.0.0.1:9' }, ENV, QUICK));
  expect(Object.values(found).map((text) => text.split(':')[0])).toEqual(['fail', 'skip', 'skip', 'skip']);
});

it('says who holds the lease, and whether it sends heartbeats', async () => {
  const { storage } = openFolder();
  const lease = await takeLease(storage, LEASE, { what: 'a copy', beatMs: 50 });
  const holder = String.raw`a copy \(process ${process.pid} on .+\), since \d{4}-.*Z`;
  expect((await find(storage))['lease']).toMatch(new RegExp(`^ok: held by ${holder}; it sends heartbeats$`));
  await lease.release();
  expect((await find(storage))['lease']).toMatch(new RegExp(`^ok: free; last holder: ${holder}$`));
  const paused = await takeLease(storage, LEASE, { what: 'a copy', beatMs: 1_000_000 });
  expect((await find(storage, 400))['lease']).toMatch(
    new RegExp(`^warn: held by ${holder}; it sent no heartbeat for 0.4 s$`),
  );
  await paused.release();
});
