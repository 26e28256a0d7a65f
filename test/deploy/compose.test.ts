import { createHmac } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/config.js';
import { queryFile } from '../helpers/project.js';
import { cleanEnv, ROOT, startProcess, type RunningProcess } from '../helpers/processes.js';
import { runCli, type CliResult } from '../helpers/run-cli.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startGateway, type Gateway } from '../helpers/versitygw.js';
import { startTemporal } from '../helpers/temporal.js';
import { readCompose, readEntrypoint, replaceIn, type ComposeFile, type Service } from './compose-file.js';
import { freePorts, missingForPostgres, startTemporalOnPostgres } from './temporal-on-postgres.js';

const MISSING = missingForPostgres();
const ENTRYPOINT = ['/usr/bin/tini', '--', 'node', '/app/bin/tidemark.mjs'];
const SECRET = 'a-secret-of-the-callback';

/** A Temporal server for the services of Tidemark. */
interface Server {
  address: string;
  /** Runs a one-shot service of Temporal; undefined on the dev server, which needs none. */
  runOnce?: (service: string) => string;
  /** Returns the databases as SQL; undefined on the dev server. */
  dump?: () => string;
  stopServer(): Promise<void>;
  stop(): Promise<void>;
}

async function startDevServer(): Promise<Server> {
  const temporal = await startTemporal();
  let running = true;
  const stop = async (): Promise<void> => {
    if (running) await temporal.teardown();
    running = false;
  };
  return { address: temporal.address, stopServer: stop, stop };
}

const SERVERS = [
  { name: 'on the Temporal dev server', skip: false, start: startDevServer },
  {
    name: `on a Temporal server with PostgreSQL${MISSING === null ? '' : ` (skipped: ${MISSING})`}`,
    skip: MISSING !== null,
    start: startTemporalOnPostgres,
  },
];

for (const { name, skip, start } of SERVERS) {
  describe.skipIf(skip)(`services of docker-compose.yml ${name}`, () => {
    let compose: ComposeFile;
    let server: Server;
    let dir: string;
    let gateway: Gateway | undefined;
    /** Volume of the machine on which commands and services start. */
    let volume = 'data';
    let ports: Record<string, number>;
    const running: RunningProcess[] = [];

    beforeAll(async () => {
      dir = mkdtempSync(path.join(tmpdir(), 'tidemark-compose-'));
      const [api = 0, receiver = 0, crawl = 0, warehouse = 0, receiverMetrics = 0] = await freePorts(5);
      ports = { api, receiver, 'crawl-worker': crawl, 'warehouse-worker': warehouse, receiverMetrics };
      compose = readCompose('deploy/compose/sandbox.env');
      server = await start(compose);
    });

    afterAll(async () => {
      for (const process of running.toReversed()) await process.stop();
      await server?.stop();
      await gateway?.remove();
      rmSync(dir, { recursive: true, force: true });
    });

    /** A service as it runs here: paths of the container and addresses of its network are replaced. */
    const placed = (service: string, file: ComposeFile = compose): Service => {
      const places: [string | RegExp, string][] = [
        ['temporal:7233', server.address],
        [/^(http:\/\/)?(sandbox|127\.0\.0\.1):4010/, `http://127.0.0.1:${ports['api']}`],
        [/\b4010$/, String(ports['api'])],
        [/\b4020(?=$|\/)/, String(ports['receiver'])],
        [/\b9464(?=$|\/)/, String(ports[service] ?? 0)],
        [/\b9465$/, String(ports['receiverMetrics'])],
        [/^\/data(?=\/|$)/, path.join(dir, volume)],
        ['/etc/tidemark/tidemark.yaml', path.join(ROOT, file.configs['tidemark']?.file ?? '')],
        ['/run/secrets/api-key', path.join(ROOT, file.secrets['api-key']?.file ?? '')],
      ];
      const replace = (text: string): string => places.reduce((now, [from, to]) => now.replace(from, to), text);
      return replaceIn(file.services[service], replace) as Service;
    };
    /** Variables of a service: those of the image, of its files, and of `environment`. A later one wins. */
    const environmentOf = ({ environment, env_file = [] }: Service): Record<string, string> => {
      const files = env_file.map((one) => path.join(dir, one.path)).filter((file) => existsSync(file));
      return Object.assign(
        { TIDEMARK_STORAGE_FOLDER: path.join(dir, volume, 'copy') },
        ...files.map((file) => parseEnv(readFileSync(file, 'utf8'))),
        environment,
      ) as Record<string, string>;
    };
    const runOnce = async (service: string, command?: string[]): Promise<CliResult> => {
      const at = placed(service);
      return runCli(command ?? at.command ?? [], { cwd: dir, env: environmentOf(at) });
    };
    const up = async (service: string, ready: RegExp): Promise<RunningProcess> => {
      const at = placed(service);
      const process = await startProcess(['bin/tidemark.mjs', ...(at.command ?? [])], {
        cwd: dir,
        env: cleanEnv(environmentOf(at)),
        ready,
      });
      running.push(process);
      return process;
    };
    /** Runs the health check of a service. */
    const health = async (service: string): Promise<CliResult> => {
      const at = placed(service);
      const [kind, node, script, ...args] = at.healthcheck?.test ?? [];
      expect([kind, node, script]).toEqual(['CMD', ...ENTRYPOINT.slice(2)]);
      return runCli(args, { cwd: dir, env: environmentOf(at) });
    };

    it.skipIf(start === startDevServer)('creates and migrates the databases of Temporal, also a second time', () => {
      expect(server.runOnce?.('temporal-schema')).toMatch(/found zero updates[^]*found zero updates/);
    });

    it.skipIf(start === startDevServer)('creates the namespace, also a second time', () => {
      for (let time = 0; time < 2; time++)
        expect(server.runOnce?.('temporal-namespace')).toContain('Namespace default is ready.');
    });

    it('registers the search attributes', async () => {
      const { code, stdout, stderr } = await runOnce('setup');
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain('Namespace default');
      expect(await runOnce('setup')).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing to do') });
    });

    it('creates the schedules', async () => {
      expect(await runOnce('schedules')).toMatchObject({ code: 0, stdout: expect.stringContaining('tidemark/') });
    });

    it('starts the sandbox, and finds it healthy only while it runs', async () => {
      expect((await health('sandbox')).code).toBe(1);
      await up('sandbox', /^\{"sandbox"/);
      expect(await health('sandbox')).toMatchObject({ code: 0, stderr: '' });
    });

    it('finds workers healthy once Temporal sees them poll', async () => {
      for (const worker of ['crawl-worker', 'warehouse-worker']) {
        const before = await health(worker);
        expect(before.code).toBe(1);
        expect(before.stderr).toContain('Nothing answers at');
        await up(worker, /worker ready/);
        await waitUntil(`${worker} is healthy`, async () => (await health(worker)).code === 0, { everyMs: 1_000 });
        expect((await health(worker)).stdout).toContain(`polling tidemark-${worker.split('-')[0]}`);
      }
    });

    it('completes and publishes a snapshot', async () => {
      const { code, stderr } = await runOnce('crawl-worker', ['snapshot']);
      expect({ code, stderr }).toMatchObject({ code: 0 });
      const published = path.join(dir, 'data', 'published', 'market.duckdb');
      const [row] = await queryFile(published, 'SELECT count(*)::INTEGER AS companies FROM core.companies');
      expect(row?.['companies']).toBeGreaterThan(100);
    });

    it('receives a signed delivery with the secret in the data folder', async () => {
      mkdirSync(path.join(dir, 'data', 'secrets'), { recursive: true, mode: 0o700 });
      writeFileSync(path.join(dir, 'data', 'secrets', 'webhook-secret'), SECRET, { mode: 0o600 });
      await up('webhook-receiver', /Listening/);
      expect(await health('webhook-receiver')).toMatchObject({ code: 0 });
      const body = '{"company_data": {"id": 1}}';
      const signature = createHmac('sha256', SECRET).update(body).digest('hex');
      const answer = await fetch(`http://127.0.0.1:${ports['receiver']}/events`, {
        method: 'POST',
        body,
        headers: { 'x-svc-signature': signature },
      });
      expect(answer.status).toBe(200);
    });

    it('continues with a bucket, three crawl workers and a standby', async () => {
      gateway = await startGateway();
      for (const process of running.splice(1)) await process.stop();
      const companies = 'SELECT CAST(company_id AS VARCHAR) AS id, name, status FROM core.companies ORDER BY id';
      const before = await queryFile(path.join(dir, 'data', 'published', 'market.duckdb'), companies);
      const bucket = `s3://${gateway.bucket}/tidemark`;
      const credentials = Object.entries(gateway.env).map(([key, value]) => `${key}='${value}'\n`);
      mkdirSync(path.join(dir, 'secrets'), { mode: 0o700 });
      writeFileSync(path.join(dir, 'secrets', 'bucket.env'), credentials.join(''), { mode: 0o600 });
      const copied = await runOnce('crawl-worker', ['data', 'copy', path.join(dir, 'data'), bucket]);
      expect(copied.stderr + copied.stdout).toMatch(/✔/);

      compose = readCompose('deploy/compose/sandbox.env', { TIDEMARK_DATA: bucket });
      const own = ports;
      for (const machine of ['data', 'volume-2', 'volume-3']) {
        volume = machine;
        // The first machine keeps its ports, so its health checks go on.
        ports = machine === 'data' ? own : { ...own, 'crawl-worker': 0, 'warehouse-worker': 0 };
        await up('crawl-worker', /worker ready/);
        if (machine !== 'volume-3') await up('warehouse-worker', /worker ready/);
      }
      [ports, volume] = [own, 'data'];
      const { code, stderr } = await runOnce('crawl-worker', ['snapshot']);
      expect({ code, stderr }).toMatchObject({ code: 0 });
      const { stdout } = await runOnce('crawl-worker', ['sql', '--format', 'json', companies]);
      expect(JSON.parse(stdout)).toEqual(before);
    });

    it.skipIf(start === startDevServer)('has its runs and schedules after a dump was restored', async () => {
      const schedules = ['schedule', 'list', '--json'];
      const before = await runOnce('setup', schedules);
      const restored = await startTemporalOnPostgres(compose, server.dump?.());
      try {
        // docs/operations.md says which errors to expect.
        expect(restored.complaints).toEqual([
          expect.stringContaining('role "temporal" already exists') as string,
          expect.stringContaining('database "temporal" already exists') as string,
        ]);
        const at = { cwd: dir, env: { ...environmentOf(placed('setup')), TEMPORAL_ADDRESS: restored.address } };
        expect(await runCli(schedules, at)).toEqual(before);
        const { stdout } = await runCli(['status', '--json'], at);
        expect((JSON.parse(stdout) as { ended: object[] }).ended).toMatchObject([
          { type: 'marketSnapshot', outcome: 'complete' },
        ]);
        expect((await runCli(['schedule', 'apply'], at)).stdout).toMatch(/^(unchanged +tidemark\/\S+\n)+$/);
      } finally {
        await restored.stop();
      }
    });

    it('goes back to the volume of one machine', async () => {
      for (const process of running.splice(1)) await process.stop();
      const bucket = `s3://${gateway?.bucket}/tidemark`;
      const folder = path.join(dir, 'data', 'back');
      const back = await runOnce('crawl-worker', ['data', 'copy', bucket, folder]);
      expect({ code: back.code, out: back.stderr }).toMatchObject({ code: 0 });
      // As docs/many-machines.md says: the namespace still belongs to the folder from before the bucket.
      renameSync(path.join(dir, 'data', 'folder.json'), path.join(dir, 'data', 'folder.json.before'));
      compose = readCompose('deploy/compose/sandbox.env', { TIDEMARK_DATA: '/data/back' });
      for (const worker of ['crawl-worker', 'warehouse-worker']) await up(worker, /worker ready/);
      const { code, stderr } = await runOnce('crawl-worker', ['snapshot']);
      expect({ code, stderr }).toMatchObject({ code: 0 });
      const published = path.join(folder, 'published', 'market.duckdb');
      const runs = await queryFile(published, 'SELECT outcome FROM ops.runs');
      expect(runs).toEqual([{ outcome: 'complete' }, { outcome: 'complete' }, { outcome: 'complete' }]);
    });

    it('finds workers unhealthy when Temporal is gone', async () => {
      await server.stopServer();
      for (const worker of ['crawl-worker', 'warehouse-worker']) {
        await waitUntil(`${worker} is unhealthy`, async () => (await health(worker)).code === 1, { everyMs: 1_000 });
        expect((await health(worker)).stderr).toContain('Temporal does not answer');
      }
    });
  });
}

describe('docker-compose.yml', () => {
  const own = (file: ComposeFile): [string, Service][] =>
    Object.entries(file.services).filter(([, { image }]) => image === 'tidemark:local');

  it('runs the CLI of the image as a child of tini', () => {
    expect(readEntrypoint()).toEqual(ENTRYPOINT);
  });

  it('has a health check for each service of Tidemark that stays', () => {
    const without = own(readCompose()).filter(([, { healthcheck }]) => healthcheck === undefined);
    expect(without.map(([name]) => name)).toEqual(['setup', 'schedules']);
  });

  it('forbids plain HTTP to other hosts, except with the sandbox', async () => {
    const configOf = (file: ComposeFile): string => path.join(ROOT, file.configs['tidemark']?.file ?? '');
    expect(loadConfig(configOf(readCompose('deploy/compose/sandbox.env')), {}).api.allowHttp).toBe(true);
    const { code, stderr } = await runCli(['snapshot', '--dry-run'], {
      cwd: ROOT,
      env: {
        TIDEMARK_CONFIG: path.join(ROOT, 'tidemark.example.yaml'),
        TIDEMARK_API_URL: 'http://sandbox:4010',
        TIDEMARK_API_KEY: 'sandbox-key',
        TIDEMARK_DATA: path.join(tmpdir(), 'tidemark-no-data'),
      },
    });
    expect(code).toBe(1);
    expect(stderr).toMatch(/api\.allowHttp/);
  });

  it('leaves Node 700 MiB next to the memory of DuckDB', () => {
    const worker = readCompose().services['warehouse-worker'];
    const duckdb = Number.parseInt(worker?.environment?.['TIDEMARK_WAREHOUSE_MEMORY'] ?? '', 10) * 1e9;
    const limit = Number.parseInt(worker?.mem_limit ?? '', 10) * 2 ** 30;
    expect(limit - duckdb).toBeGreaterThan(700 * 2 ** 20);
    expect(own(readCompose()).filter(([, { mem_limit }]) => mem_limit === undefined)).toEqual([]);
  });

  it('publishes no port of metrics', () => {
    const published = Object.values(readCompose().services).flatMap(({ ports = [] }) => ports);
    expect(published.filter((port) => /94\d\d$/.test(port))).toEqual([]);
  });
});
