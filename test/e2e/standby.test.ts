import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { listWorkers, type ListedWorker } from '../../src/temporal/list-workers.js';
import { FAULTS } from '../helpers/bucket-faults.js';
import type { RunningProcess } from '../helpers/processes.js';
import type { Project } from '../helpers/project.js';
import { tidemarkIn } from '../helpers/run-cli.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';
import { startGateway, type Gateway } from '../helpers/versitygw.js';
import { startWrongProxy } from '../helpers/wrong-proxy.js';

const MARKET = { companies: 60, tenders: 0, seed: 23 };

/** A way to Temporal that can be cut. */
class Way {
  readonly #sockets = new Set<Socket>();
  readonly #server: Server;
  open = true;

  constructor(host: string, port: number) {
    this.#server = createServer((incoming) => {
      if (!this.open) return incoming.destroy();
      const outgoing = connect(port, host);
      for (const [from, to] of [
        [incoming, outgoing],
        [outgoing, incoming],
      ] as const) {
        this.#sockets.add(from);
        from.on('error', () => to.destroy());
        from.pipe(to);
      }
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  cut(): void {
    this.open = false;
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }
}

describe('a standby that cannot reach Temporal', () => {
  let gateway: Gateway;
  let system: System;
  let way: Way;
  const workers: RunningProcess[] = [];

  beforeAll(async () => {
    gateway = await startGateway();
    system = await startSystem({ market: MARKET, worker: null });
    const [host = '', port = ''] = system.temporal.address.split(':');
    way = new Way(host, Number(port));
  });

  afterAll(async () => {
    for (const worker of workers) await worker.stop('SIGKILL');
    way?.close();
    await system?.stop();
    await gateway?.remove();
  });

  it('gives the lease back, and writes when Temporal is back', async () => {
    const addProject = (): Project =>
      system.addProject({ data: `s3://${gateway.bucket}/standby` }, undefined, gateway.env);
    const project = addProject();
    const add = async (queue: 'crawl' | 'warehouse', env: Record<string, string> = {}): Promise<RunningProcess> => {
      const worker = await addProject().startWorker(env, queue);
      workers.push(worker);
      return worker;
    };
    const crawler = await add('crawl');
    const writer = await add('warehouse');
    await waitUntil('one process writes', async () =>
      writer.output().includes('this process writes the warehouse now'),
    );
    const standby = await add('warehouse', { TEMPORAL_ADDRESS: await way.listen() });
    await waitUntil('the other waits', async () => standby.output().includes('waits until no other process'));
    const listed = JSON.parse((await tidemarkIn(project, ['workers', '--json'])).stdout) as { workers: ListedWorker[] };
    const rolesOf = ({ child }: RunningProcess) =>
      listed.workers.find(({ worker }) => worker.startsWith(`${child.pid}@`))?.roles;
    expect([crawler, writer, standby].map(rolesOf)).toEqual([['crawl'], ['warehouse'], ['standby']]);
    const { stdout } = await tidemarkIn(project, ['doctor']);
    expect(stdout).toContain('1 polling tidemark-warehouse, 1 on standby for it');
    way.cut();
    await writer.stop('SIGTERM');
    await waitUntil('the standby gives the lease back', async () => standby.output().includes('gives the lease back'));
    expect(standby.child.exitCode).toBeNull();
    way.open = true;
    await waitUntil('the standby writes', async () =>
      standby.output().includes('this process writes the warehouse now'),
    );
    const run = await system.start('marketSnapshot', 'snapshot/demo/standby');
    await waitUntil(
      'the list of workers shows the run',
      async () => {
        const shown = await listWorkers(system.temporal.client);
        return shown.some(({ doing }) => doing.some(({ workflowId }) => workflowId === run.workflowId));
      },
      { everyMs: 10 },
    );
    expect(((await run.result()) as RunResult).outcome).toBe('complete');
  });

  it('survives refusals and a damaged lease, and writes with a higher token after the file was removed', async () => {
    let refuses = false;
    const refused = FAULTS['status 403 AccessDenied'];
    const proxy = await startWrongProxy(gateway.env.AWS_ENDPOINT_URL, () => (refuses ? refused : undefined));
    const data = { data: `s3://${gateway.bucket}/standby` };
    const project = system.addProject(data, undefined, { ...gateway.env, AWS_ENDPOINT_URL: proxy.url });
    const standby = await project.startWorker({}, 'warehouse');
    workers.push(standby);
    const says = (text: string) => waitUntil(text, async () => standby.output().includes(text), { withinMs: 600_000 });
    const token = (file: string): number =>
      (JSON.parse(readFileSync(path.join(folder, file), 'utf8')) as { token: number }).token;
    const folder = path.join(gateway.folder, 'standby', 'warehouse');
    await says('waits until no other process');
    refuses = true;
    await says('cannot take the lease of the warehouse, and tries again');
    expect(standby.child.exitCode).toBeNull();
    refuses = false;
    for (const worker of workers) if (worker !== standby) await worker.stop('SIGKILL');
    writeFileSync(path.join(folder, 'writer.json'), '<html>Back soon</html>');
    await says('is no lease of this version of Tidemark');
    expect(standby.child.exitCode).toBeNull();
    const before = token('current.json');
    rmSync(path.join(folder, 'writer.json'));
    await says('this process writes the warehouse now');
    expect(token('writer.json')).toBeGreaterThan(before);
    await standby.stop();
    await proxy.close();
  });
});
