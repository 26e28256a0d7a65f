import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CopyResult } from '../../src/maintenance/copy/copy-data.js';
import { quote } from '../../src/warehouse/duckdb/sql-files.js';
import { withMemory } from '../../src/warehouse/duckdb/in-memory.js';
import { startProcess, type RunningProcess } from '../helpers/processes.js';
import type { Project } from '../helpers/project.js';
import { tidemarkIn, type CliResult } from '../helpers/run-cli.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';
import { startGateway, type Gateway } from '../helpers/versitygw.js';

const MARKET = { companies: 300, tenders: 20, seed: 17 };
const DETAILS = 'GET /v2/companies/{id}';

/*
 * The runbook of docs/many-machines.md: a market moves from a folder to a bucket with four machines, and back to a folder.
 */
describe('data that moves to a bucket and back', () => {
  let system: System;
  let gateway: Gateway;
  let first: Project;
  const workers: RunningProcess[] = [];
  const bucket = (): string => `s3://${gateway.bucket}/moved`;

  const start = async (project: Project, queue: 'crawl' | 'warehouse' | 'all'): Promise<void> => {
    workers.push(await project.startWorker({}, queue));
  };
  const stopAll = async (): Promise<void> => {
    for (const worker of workers.splice(0)) await worker.stop('SIGTERM');
  };
  const copy = async (...args: string[]): Promise<CliResult> => tidemarkIn(first, ['data', 'copy', ...args]);
  const objects = (): string[] => readdirSync(gateway.folder, { recursive: true, encoding: 'utf8' });
  const night = async (name: string): Promise<number> => {
    const before = await system.api.requests(DETAILS);
    expect((await system.run('marketSnapshot', `snapshot/demo/${name}`)).outcome).toBe('complete');
    return (await system.api.requests(DETAILS)) - before;
  };

  beforeAll(async () => {
    gateway = await startGateway();
    system = await startSystem({ market: MARKET, worker: null });
    first = system.addProject({ data: './data' }, undefined, gateway.env);
    await start(first, 'all');
    const fetched = await night('first');
    if (fetched !== MARKET.companies) throw new Error(`The first night fetched ${fetched} records.`);
    await stopAll();
  });

  afterAll(async () => {
    for (const worker of workers) await worker.stop('SIGKILL');
    await system?.stop();
    await gateway?.remove();
  });

  it('continues a copy after kill -9, and keeps workers away until then', async () => {
    const copying = await startProcess(['bin/tidemark.mjs', 'data', 'copy', first.dataDir, bucket()], {
      env: first.env,
      ready: /Copying/,
    });
    await waitUntil('a part is in the bucket', async () => objects().some((name) => name.endsWith('.parquet')));
    await copying.stop('SIGKILL');
    const machine = system.addProject({ data: bucket() }, undefined, gateway.env);
    const refused = await tidemarkIn(machine, ['worker', '--queue', 'crawl']);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('is not complete') as string });
    const result = await copy(first.dataDir, bucket(), '--json');
    expect({ code: result.code, stderr: result.stderr }).toEqual({ code: 0, stderr: expect.any(String) as string });
    const { verified, same } = JSON.parse(result.stdout) as CopyResult;
    expect(verified.differences).toEqual([]);
    expect(same).toBeGreaterThan(0);
  });

  it('says so if it cannot create the target', async () => {
    const refused = await copy(first.dataDir, path.join(first.published, 'below-a-file'));
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('cannot be created') as string });
    expect(refused.stderr).toContain('Temporal has no open run.');
  });

  it('finds a changed byte, and names the file', async () => {
    const name = objects().find((one) => one.endsWith('.parquet') && one.includes('landing/companies')) ?? '';
    const file = path.join(gateway.folder, name);
    const whole = readFileSync(file);
    const damaged = Buffer.from(whole);
    damaged[100] = (damaged[100] ?? 0) ^ 1;
    writeFileSync(file, damaged);
    const found = await copy(first.dataDir, bucket(), '--check');
    expect(found.code).toBe(1);
    expect(found.stdout).toContain(`${path.relative('moved', name)}: different`);
    writeFileSync(file, whole);
    expect((await copy(first.dataDir, bucket(), '--check')).code).toBe(0);
  });

  it('goes on in the bucket and in another folder, without asking for known records', async () => {
    const machines = ['crawl', 'crawl', 'crawl', 'warehouse'] as const;
    for (const queue of machines) await start(system.addProject({ data: bucket() }, undefined, gateway.env), queue);
    expect(await night('in-the-bucket')).toBe(0);
    // A warehouse worker without work gives its lease to the copy, and takes it again.
    const elsewhere = system.addProject({ data: './data' }, undefined, gateway.env);
    expect((await copy(bucket(), elsewhere.dataDir)).code).toBe(0);
    expect((await copy(bucket(), elsewhere.dataDir, '--check')).code).toBe(0);
    expect(await night('after-a-copy')).toBe(0);
    await stopAll();
    const back = system.addProject({ data: './data' }, undefined, gateway.env);
    const returned = await copy(bucket(), back.dataDir);
    expect({ code: returned.code, out: returned.stdout }).toEqual({ code: 0, out: expect.any(String) as string });
    // The namespace belongs to the first folder until its identity is gone.
    const kept = await tidemarkIn(back, ['worker']);
    expect(kept).toMatchObject({ code: 1, stderr: expect.stringContaining('This folder is a copy.') as string });
    const identity = path.join(first.dataDir, 'folder.json');
    renameSync(identity, `${identity}.before`);
    await start(back, 'all');
    expect(await night('back')).toBe(0);
    await system.api.expectMarketEqualsTruth(back);
    const different = await withMemory('a test', async (db) => {
      await db.run(`ATTACH ${quote(first.published)} AS a (READ_ONLY)`);
      await db.run(`ATTACH ${quote(back.published)} AS b (READ_ONLY)`);
      const [left, right] = ['a', 'b'].map((name) => `FROM ${name}.core.companies_history`);
      return db.count(`SELECT count(*) FROM ((${left} EXCEPT ALL ${right}) UNION ALL (${right} EXCEPT ALL ${left}))`);
    });
    expect(different).toBe(0);
  });
});
