import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Bucket } from '../../../src/store/s3/bucket.js';
import { S3Client } from '../../../src/store/s3/client.js';
import { PATIENCE } from '../../../src/store/retry.js';
import { startGateway, type Gateway } from '../../helpers/versitygw.js';
import { describeStorage, expectReason, PIECE_BYTES } from './contract.js';
import { describeLease } from './lease-contract.js';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.remove());

let opened = 0;
const openAt = (prefix: string, env: NodeJS.ProcessEnv = gateway.env): Bucket =>
  new Bucket(new S3Client({ bucket: gateway.bucket, prefix }, env), PIECE_BYTES);
const prefixOf = ({ name }: { name: string }): string => name.replace(`s3://${gateway.bucket}/`, '');

describeStorage('a bucket of versitygw', async (same) =>
  openAt(same === undefined ? `some prefix+=/${opened++}` : prefixOf(same)),
);

describeLease('a bucket of versitygw', async () => ({ storage: openAt(`lease/${opened++}`), env: gateway.env }));

describe('a bucket of versitygw', () => {
  it('survives a restart of the service', async () => {
    const storage = openAt('restart');
    const version = await storage.create('a', Buffer.from('one'));
    await gateway.kill();
    await Promise.all([storage.replace('a', Buffer.from('two'), version), gateway.restart()]);
    expect((await storage.read('a'))?.body.toString()).toBe('two');
  });

  it('reports an unreachable service without credentials in the message', async () => {
    const quick = { ...PATIENCE, forMs: 100 };
    const env = { ...gateway.env, AWS_ENDPOINT_URL: 'http://127.0.0.1:1' };
    const storage = new Bucket(new S3Client({ bucket: gateway.bucket, prefix: 'p' }, env, quick));
    await expectReason(storage.read('a'), 'unreachable');
    await expect(storage.read('a')).rejects.toThrow(
      /^s3:\/\/market-data\/p: a cannot be reached: connect ECONNREFUSED/,
    );
  });

  it.each([
    ['AWS_SECRET_ACCESS_KEY', 'does not accept the signature'],
    ['AWS_ACCESS_KEY_ID', 'does not know the access key'],
  ])('reports a wrong %s', async (name, what) => {
    const storage = openAt('wrong', { ...gateway.env, [name]: 'something-else-entirely' });
    await expectReason(storage.read('a'), 'denied');
    await expectReason(storage.create('a', Buffer.from('x')), 'denied');
    await expectReason(storage.list('').next(), 'denied');
    await expect(storage.read('a')).rejects.toThrow(what);
    await expect(storage.read('a')).rejects.not.toThrow(/something-else|secret/);
  });

  it('reports a missing bucket', async () => {
    const storage = new Bucket(new S3Client({ bucket: 'no-such-bucket', prefix: '' }, gateway.env));
    const what = 'the bucket does not exist';
    await expect(storage.read('a')).rejects.toThrow(what);
    await expect(storage.create('a', Buffer.from('x'))).rejects.toThrow(what);
    await expect(storage.list('').next()).rejects.toThrow(what);
  });

  it('leaves nothing visible of an upload whose process was killed', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-killed-'));
    const file = path.join(folder, 'large');
    writeFileSync(file, Buffer.alloc(200 * 2 ** 20));
    const storage = openAt('killed');
    const script = `
      import { Bucket } from ${JSON.stringify(path.resolve('src/store/s3/bucket.ts'))};
      import { S3Client } from ${JSON.stringify(path.resolve('src/store/s3/client.ts'))};
      const client = new S3Client({ bucket: ${JSON.stringify(gateway.bucket)}, prefix: 'killed' }, process.env);
      console.log('uploading');
      await new Bucket(client, ${PIECE_BYTES}).upload('large', ${JSON.stringify(file)});`;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      env: { ...process.env, ...gateway.env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    // Wait until the service has a piece.
    const pieces = path.join(gateway.folder, '.sgwtmp');
    while (!existsSync(pieces) || readdirSync(pieces, { recursive: true }).length < 4) {
      expect(child.exitCode).toBeNull();
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await storage.read('large')).toBeUndefined();
    expect((await storage.list('').next()).done).toBe(true);
    await storage.upload('large', file);
    expect((await storage.list('').next()).value).toEqual({ key: 'large', bytes: 200 * 2 ** 20 });
    rmSync(folder, { recursive: true, force: true });
  });
});
