import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkStorage } from '../../../../src/cli/doctor/check-storage.js';
import { withLease } from '../../../helpers/with-lease.js';
import { openStorage } from '../../../../src/store/open.js';
import { startGateway, type Gateway } from '../../../helpers/versitygw.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.remove());

const CHECK = { setting: 'publish.to', lease: 'lease.json' };
const QUICK = { forMs: 500, pauseMs: 10, longestMs: 50 };
const open = (bucket = gateway.bucket, env: NodeJS.ProcessEnv = gateway.env) =>
  openStorage(`s3://${bucket}/checked`, {}, env, QUICK);
const check = async (...of: Parameters<typeof open>) =>
  (await checkStorage(open(...of), CHECK)).map(({ check: name, state, message }) => [name, state, message]);

it('finds no fault in versitygw, and leaves no file there', async () => {
  const found = await check();
  expect(found.map(([name, state]) => `${name} ${state}`)).toEqual([
    'publish.to: rights ok',
    'publish.to: writes ok',
    'publish.to: clock ok',
    'publish.to: lease ok',
  ]);
  const keys: string[] = [];
  for await (const { key } of open().list('')) keys.push(key);
  expect(keys).toEqual([]);
});

it('names the process that holds the lease in versitygw', async () => {
  await withLease(open(), CHECK.lease, { what: 'a copy', beatMs: 100 }, async () => {
    expect((await check()).at(-1)).toEqual([
      'publish.to: lease',
      'ok',
      expect.stringMatching(/^held by a copy \(process \d+ on .+\), since .+; it sends heartbeats$/),
    ]);
  });
});

it('explains a wrong bucket, wrong keys and a service that is down', async () => {
  expect((await check('no-such-bucket'))[0]?.[2]).toContain('the bucket does not exist');
  const wrong = { ...gateway.env, AWS_SECRET_ACCESS_KEY: 'wrong' };
  expect((await check(gateway.bucket, wrong))[0]?.[2]).toContain('does not accept the signature');
  await gateway.kill();
  expect((await check()).map(([, state]) => state)).toEqual(['fail', 'skip', 'skip', 'skip']);
  await gateway.restart();
});
