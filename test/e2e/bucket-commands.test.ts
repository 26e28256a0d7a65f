import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Project } from '../helpers/project.js';
import { tidemarkIn } from '../helpers/run-cli.js';
import { startSystem, type System } from '../helpers/system.js';
import { startGateway, type Gateway } from '../helpers/versitygw.js';

const MARKET = { companies: 60, tenders: 5, seed: 23 };
const COMPANIES = 'SELECT * FROM core.companies ORDER BY ALL';

describe('commands that write the warehouse, with the data in a bucket', () => {
  let gateway: Gateway;
  let system: System;
  /** The machine of the worker, and another one without a worker. */
  let here: Project;
  let there: Project;

  const run = async (project: Project, ...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await tidemarkIn(project, args);
    expect(`${code} ${stderr}`).toMatch(/^0 /);
    return stdout;
  };
  const night = async (id: string): Promise<void> => {
    expect((await system.run('marketSnapshot', `snapshot/demo/${id}`)).outcome).toBe('complete');
    await system.api.expectMarketEqualsTruth(here);
  };
  const builds = async (project: Project): Promise<{ name: string; current: boolean }[]> =>
    JSON.parse(await run(project, 'publish', '--list', '--json')) as { name: string; current: boolean }[];
  const current = async (project: Project): Promise<string | undefined> =>
    (await builds(project)).find((build) => build.current)?.name;

  const loseCheckpoint = (): void => {
    const folder = path.join(gateway.folder, 'commands', 'warehouse');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((one) => one.endsWith('.duckdb'));
    expect(files).not.toEqual([]);
    for (const name of files) rmSync(path.join(folder, name));
  };

  beforeAll(async () => {
    gateway = await startGateway();
    system = await startSystem({ market: MARKET, worker: null });
    const config = {
      data: `s3://${gateway.bucket}/commands`,
      markets: [{ name: 'demo', refresh: { companies: '0d', financials: '0d' } }],
    };
    here = system.addProject(config, undefined, gateway.env);
    there = system.addProject(config, undefined, gateway.env);
    system.worker = await here.startWorker();
    await night('first');
    await night('second');
  });

  afterAll(async () => {
    await system?.worker.stop();
    await system?.stop();
    await gateway?.remove();
  });

  it('publish from a machine without a worker, and the worker goes on', async () => {
    const before = await current(there);
    await run(there, 'publish');
    expect(await current(here)).not.toBe(before);
    await night('after-publish');
  });

  it('go back to an earlier build on all machines', async () => {
    const [newest, earlier] = await builds(here);
    expect(newest?.current).toBe(true);
    await run(there, 'publish', '--to', 'PREVIOUS');
    expect([await current(here), await current(there)]).toEqual([earlier?.name, earlier?.name]);
    await run(here, 'sql', 'SELECT 1');
    expect(await here.query('SELECT count(*) > 0 AS some FROM core.companies')).toEqual([{ some: true }]);
    await night('after-going-back');
  });

  it('publish again after the bucket lost the files of the current build', async () => {
    const folder = path.join(gateway.folder, 'commands', 'published');
    const loseFiles = (): void => {
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
        /\.(?:parquet|duckdb)$/.test(name),
      );
      expect(files.length).toBeGreaterThan(20);
      for (const name of files) rmSync(path.join(folder, name));
    };
    /** A machine that never had a build. */
    const addMachine = (): Project =>
      system.addProject({ data: `s3://${gateway.bucket}/commands` }, undefined, gateway.env);
    loseFiles();
    const { stdout } = await tidemarkIn(addMachine(), ['doctor'], { TIDEMARK_API_KEY: '' });
    expect(stdout).toMatch(/✘ builds: build .* files are missing or damaged in v=/);
    expect(stdout).toContain('- key ');
    await run(addMachine(), 'publish', '--check');
    const reader = addMachine();
    await run(reader, 'sql', 'SELECT 1');
    await run(reader, 'publish', '--copy');
    const names = (await builds(reader)).map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
    expect(await reader.query(COMPANIES)).toEqual(await here.query(COMPANIES));
    writeFileSync(path.join(folder, 'current.json'), '{"format": 1, "buil');
    expect((await tidemarkIn(here, ['sql', 'SELECT 1'])).stderr).toContain('current.json is damaged');
    await run(addMachine(), 'publish', '--check');
    await run(here, 'sql', 'SELECT 1');
    expect(await here.query(COMPANIES)).toEqual(await reader.query(COMPANIES));
    // A night on a new machine, without anybody noticing the loss. The checkpoint of the warehouse is lost, too.
    loseFiles();
    await system.worker.stop();
    loseCheckpoint();
    const machine = addMachine();
    const worker = await machine.startWorker();
    try {
      expect((await system.run('marketSnapshot', 'snapshot/demo/after-lost-files')).outcome).toBe('complete');
      expect(worker.output()).toContain('This checkpoint of the warehouse is lost');
      await system.api.expectMarketEqualsTruth(machine);
    } finally {
      await worker.stop();
    }
    system.worker = await here.startWorker();
    await night('after-new-machine');
  });

  it('join landed parts, and other machines see the same tables', async () => {
    const tables = await here.query(COMPANIES);
    const done = JSON.parse(await run(there, 'compact', '--min-parts', '2', '--json')) as { folders: number };
    expect(done.folders).toBeGreaterThan(0);
    await night('after-compact');
    await run(there, 'replay');
    await run(here, 'sql', 'SELECT 1');
    expect((await here.query(COMPANIES)).length).toBe(tables.length);
    await night('after-replay');
  });

  it('apply models, and go back to the earlier ones', async () => {
    await run(there, 'models', 'apply');
    await run(here, 'models', 'rollback', '--to', '1');
    // A machine that begins without a checkpoint keeps the rollback.
    await system.worker.stop();
    loseCheckpoint();
    const machine = system.addProject({ data: `s3://${gateway.bucket}/commands` }, undefined, gateway.env);
    const worker = await machine.startWorker();
    expect((await system.run('marketSnapshot', 'snapshot/demo/after-rollback')).outcome).toBe('complete');
    await worker.stop();
    await run(machine, 'sql', 'SELECT 1');
    expect(await machine.query('SELECT count(*) > 0 AS held FROM meta.models WHERE held_since IS NOT NULL')).toEqual([
      { held: true },
    ]);
    system.worker = await here.startWorker();
    await run(there, 'models', 'apply');
    await night('after-models');
    const sets = JSON.parse(await run(here, 'models', 'history', '--json')) as { origin: string }[];
    expect(sets.map(({ origin }) => origin)).toContain('rollback');
  });

  it('forget a company, and find nothing that was not searched', async () => {
    const [firm] = await here.query('SELECT CAST(company_id AS VARCHAR) AS id FROM core.companies LIMIT 1');
    const { id } = firm as { id: string };
    const done = JSON.parse(await run(there, 'forget', '--company', id, '--json')) as { proof: object | null };
    // The sandbox's market has no people here, so nothing was removed.
    expect(done.proof).toBeNull();
    await night('after-forget');
  });
});
