import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cacheFolder } from '../../bootstrap/cache.mjs';
import { withLock } from '../../bootstrap/lock.mjs';
import { runProcess } from '../../bootstrap/run-process.mjs';

/*
 * versitygw: an S3 service that keeps objects in a folder. Tests use the real program: `VERSITYGW_PATH`, the program in
 * the cache, or a build with Go, which takes about two minutes and is needed only once.
 */

const VERSION = '1.8.0';
const BUILD_MS = 20 * 60_000;
const MODULE = `github.com/versity/versitygw/cmd/versitygw@v${VERSION}`;

/** A running service with one bucket. */
export interface Gateway {
  /** Variables with the address and the credentials. */
  env: { AWS_ENDPOINT_URL: string; AWS_ACCESS_KEY_ID: string; AWS_SECRET_ACCESS_KEY: string; AWS_REGION: string };
  /** Name of the bucket. */
  bucket: string;
  /** Folder with the objects of the bucket, as versitygw keeps them. */
  folder: string;
  pid: number;
  /** Kills the service. Its objects stay. */
  kill(): Promise<void>;
  /** Starts the service again at the same address, after `kill`. */
  restart(): Promise<void>;
  /** Ends the service and removes all objects. */
  remove(): Promise<void>;
}

/** Starts versitygw in a temporary folder. */
export async function startGateway(): Promise<Gateway> {
  const program = await findProgram();
  const root = mkdtempSync(path.join(tmpdir(), 'tidemark-gateway-'));
  const bucket = 'market-data';
  mkdirSync(path.join(root, 'objects', bucket), { recursive: true });
  const port = await freePort();
  const env = {
    AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
    AWS_ACCESS_KEY_ID: 'test-access-key',
    AWS_SECRET_ACCESS_KEY: 'test-secret-key-of-the-gateway',
    AWS_REGION: 'us-east-1',
  };
  const args = ['--port', `127.0.0.1:${port}`, '--quiet', 'posix'];
  const start = async () => {
    const child = spawn(program, [...args, path.join(root, 'objects')], {
      stdio: 'ignore',
      env: { ROOT_ACCESS_KEY: env.AWS_ACCESS_KEY_ID, ROOT_SECRET_KEY: env.AWS_SECRET_ACCESS_KEY },
    });
    while (!(await answers(env.AWS_ENDPOINT_URL))) {
      if (child.exitCode !== null) throw new Error(`versitygw ended with exit code ${child.exitCode}`);
      await sleep(50);
    }
    return child;
  };
  let child = await start();
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  return {
    env,
    bucket,
    folder: path.join(root, 'objects', bucket),
    get pid() {
      return child.pid ?? 0;
    },
    kill,
    async restart() {
      child = await start();
    },
    async remove() {
      await kill();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    await fetch(url);
    return true;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Finds versitygw, or builds it into the cache. */
async function findProgram(): Promise<string> {
  const named = process.env['VERSITYGW_PATH'];
  if (named) return named;
  const target = path.join(cacheFolder(), `versitygw-${VERSION}-${process.platform}-${process.arch}`);
  if (existsSync(target)) return target;
  return withLock(`${target}.lock`, {}, async () => {
    if (existsSync(target)) return target;
    const folder = mkdtempSync(`${target}.part-`);
    try {
      const env = { ...process.env, GOBIN: folder, CGO_ENABLED: '0', GOWORK: 'off' };
      const built = await runProcess('go', ['install', MODULE], { env, timeoutMs: BUILD_MS });
      if (!built.ok) {
        const why = built.error ?? built.tail;
        throw new Error(`Cannot build versitygw: ${why}\nSet VERSITYGW_PATH to the program, or install Go.`);
      }
      renameSync(path.join(folder, 'versitygw'), target);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    return target;
  });
}
