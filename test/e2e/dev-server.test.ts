import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { canMakePidNamespaces, IN_PID_NAMESPACE } from '../helpers/pid-namespace.js';
import { ROOT } from '../helpers/processes.js';
import { ensureTemporalCli } from '../../bootstrap/temporal.mjs';

let dataDir: string;
let program: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-dev-server-'));
  program = (await ensureTemporalCli({ log: () => undefined })).path;
});
afterAll(async () => {
  await Promise.all(children.map(stop));
  rmSync(dataDir, { recursive: true, force: true });
});

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.stdin?.end();
  await ended;
}

interface Said {
  shared?: boolean;
  address?: string;
  error?: string;
}

/** Starts or joins the dev server of the data folder in another process, as `up` does, until stdin ends. */
async function startServer(inNamespace = false): Promise<Said & { child: ChildProcess }> {
  const script = `
    import { freePort } from './src/cli/terminal/ports.ts';
    import { startDevServer } from './src/cli/local/dev-server.ts';
    const ports = async () => ({ port: await freePort(27_233), uiPort: await freePort(28_233) });
    const [dataDir, program] = process.argv.slice(1);
    try {
      const server = await startDevServer({ dataDir, program: async () => program, ports, logFile: dataDir + '/temporal.log' });
      console.log(JSON.stringify({ shared: server.shared, address: server.address }));
      process.stdin.on('end', async () => { await server.stop(); process.exit(0); }).resume();
    } catch (error) {
      console.log(JSON.stringify({ error: error.message }));
    }`;
  const command = [process.execPath, '--import', 'tsx', '--input-type=module', '-e', script, dataDir, program];
  const [file = '', ...args] = inNamespace ? [...IN_PID_NAMESPACE, ...command] : command;
  const child = spawn(file, args, { cwd: ROOT, stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { child, ...(JSON.parse(line) as Said) };
}

it('runs one Temporal server per data folder and refuses other containers', async () => {
  const first = await startServer();
  expect(first).toMatchObject({ shared: false });
  const second = await startServer();
  expect(second).toMatchObject({ shared: true, address: first.address });
  if (canMakePidNamespaces()) {
    const elsewhere = await startServer(true);
    expect(elsewhere.error).toMatch(/belongs to the owner of the Temporal dev server \(process \d+ on /);
  }
  await stop(second.child);
  const third = await startServer();
  expect(third).toMatchObject({ shared: true, address: first.address });
  const ended = once(first.child, 'exit');
  first.child.kill('SIGKILL');
  await ended;
  // Its guard stops the server, which may not answer until then.
  let fourth = await startServer();
  while (fourth.error?.includes('does not answer')) fourth = await startServer();
  expect(fourth).toMatchObject({ shared: false });
});
