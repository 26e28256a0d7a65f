import { cpSync, mkdtempSync, readdirSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate as breathe, setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanEnv, startProcess } from '../helpers/processes.js';
import { queryFile } from '../helpers/project.js';
import { currentBuild, listBuilds } from '../../src/warehouse/builds/builds.js';
import { readLakeIndex } from '../../src/warehouse/builds/lake-index.js';
import { showBuild } from '../../src/warehouse/builds/switch.js';
import { land, marketNight, type Answer } from '../helpers/warehouse.js';

const COMPANIES = 100;
const IDS = Array.from({ length: COMPANIES }, (_, i) => i + 1);
// Milliseconds into each step; a late kill may hit the next step. All kills take minutes: WRITER_KILLS=all.
const SOME: [step: string, moment: number][] = [
  ['load', 40],
  ['model', 150],
  ['publish', 0],
  ['publish', 300],
];
const ALL = ['open', 'load', 'model', 'publish', 'close'].flatMap((step) =>
  [0, 40, 150, 300, 600].map((moment): [string, number] => [step, moment]),
);
const KILLS = process.env['WRITER_KILLS'] === 'all' ? ALL : SOME;
const TABLES = {
  companies: 'FROM core.companies ORDER BY company_id',
  history: 'FROM core.companies_history ORDER BY company_id, valid_from',
  financials: 'FROM core.financials ORDER BY ALL',
  members: 'FROM marts.market_members ORDER BY ALL',
  changes: 'FROM marts.changes ORDER BY ALL',
  runs: 'FROM ops.runs ORDER BY run_id',
  rejects: 'FROM ops.rejects ORDER BY ALL',
};

function night(run: string, date: string, status: string): Answer[] {
  const at = (minute: number) => `${date}T02:${String(20 + (minute % 30)).padStart(2, '0')}:00Z`;
  return [
    ...marketNight({ run, date, ids: IDS }),
    ...IDS.flatMap((id): Answer[] => [
      { stream: 'companies', run, date, entity: String(id), at: at(id), body: { id, name: `C ${id}`, status } },
      {
        stream: 'financials',
        run,
        date,
        entity: String(id),
        at: at(id),
        body: { '2025': { Turnover: id * (status === 'Active' ? 1 : 2), Currency: 'EUR' } },
      },
    ]),
  ];
}

describe('kill -9 of the warehouse writer', () => {
  let folder: string;
  let before: string;
  const published = (dataDir: string) => path.join(dataDir, 'published', 'market.duckdb');
  const writer = (dataDir: string) =>
    startProcess(['--import', 'tsx', 'test/chaos/writer.ts', dataDir, 'n2'], {
      env: cleanEnv({}),
      ready: /^step open/,
    });
  const ends = async (dataDir: string): Promise<void> => {
    const running = await writer(dataDir);
    while (running.child.exitCode === null && running.child.signalCode === null) await sleep(20);
    expect(running.output()).toMatch(/step end$/);
  };
  const tables = async (dataDir: string) => {
    const all: Record<string, unknown> = {};
    for (const [name, sql] of Object.entries(TABLES)) all[name] = await queryFile(published(dataDir), sql);
    return all;
  };
  /** What a reader sees: complete tables according to the file's receipt, and complete nights. */
  const look = async (dataDir: string): Promise<string> => {
    const [seen] = await queryFile(
      published(dataDir),
      `SELECT (SELECT string_agg(DISTINCT status, ',') FROM core.companies) AS statuses,
        (SELECT count(*) FROM core.companies) = (SELECT (tables->>'$."core.companies"')::BIGINT FROM meta.receipt) AS whole,
        (SELECT count(*) FROM core.financials) = (SELECT (tables->>'$."core.financials"')::BIGINT FROM meta.receipt) AS whole_too`,
    );
    expect(seen).toMatchObject({ whole: true, whole_too: true });
    return seen?.['statuses'] as string;
  };

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'tidemark-writer-'));
    before = path.join(folder, 'before');
    await land(before, night('n1', '2026-11-20', 'Active'));
    await ends(before);
    await land(before, night('n2', '2026-11-21', 'Inactive'));
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('shows readers a whole night whenever the writer is killed', async () => {
    const undisturbed = path.join(folder, 'undisturbed');
    cpSync(before, undisturbed, { recursive: true, verbatimSymlinks: true });
    await ends(undisturbed);
    const expected = await tables(undisturbed);
    expect(await look(undisturbed)).toBe('Inactive');
    const killed: string[] = [];
    for (const [step, moment] of KILLS) {
      const dataDir = path.join(folder, `${step}-${moment}`);
      cpSync(before, dataDir, { recursive: true, verbatimSymlinks: true });
      const running = await writer(dataDir);
      const alive = () => running.child.exitCode === null && running.child.signalCode === null;
      while (alive() && !running.output().includes(`step ${step}`))
        expect(['Active', 'Inactive']).toContain(await look(dataDir));
      await sleep(moment);
      await running.stop('SIGKILL');
      killed.push(`${step} + ${moment} ms, at ${running.output().split('\n').at(-1)}`);
      expect(['Active', 'Inactive']).toContain(await look(dataDir));
      await ends(dataDir);
      expect(await tables(dataDir)).toEqual(expected);
      rmSync(dataDir, { recursive: true, force: true });
    }
    console.log(`killed: ${killed.join('; ')}`);
  });

  // The files in data/published show the progress of a publication.
  const below = (dataDir: string, suffix: string) =>
    readdirSync(path.join(dataDir, 'published', 'builds'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith(suffix),
    );
  it.each<[moment: string, has: (dataDir: string) => boolean]>([
    ['the new file is there', (dataDir) => below(dataDir, '.duckdb').length > 1],
    [
      'the new lake has its first files',
      (dataDir) => below(dataDir, '.parquet').length > below(before, '.parquet').length + 2,
    ],
    ['the new build is there', (dataDir) => listBuilds(dataDir).length > 1],
    ['readers were switched to it', (dataDir) => currentBuild(dataDir) !== currentBuild(before)],
  ])('removes the partial build of a writer killed when %s', async (_, has) => {
    const dataDir = mkdtempSync(path.join(folder, 'publish-'));
    cpSync(before, dataDir, { recursive: true, verbatimSymlinks: true });
    const running = await writer(dataDir);
    while (!has(dataDir)) await breathe();
    await running.stop('SIGKILL');

    const now = currentBuild(dataDir) ?? '';
    expect(listBuilds(dataDir).map(({ name }) => name)).toContain(now);
    for (const { name } of listBuilds(dataDir)) {
      await showBuild(dataDir, name);
      await look(dataDir);
    }
    await showBuild(dataDir, now);
    await ends(dataDir);
    const builds = listBuilds(dataDir);
    expect(builds.find(({ current }) => current)).toBe(builds[0]);
    expect(readdirSync(path.join(dataDir, 'published', 'builds')).toSorted()).toEqual(
      builds.map(({ name }) => name).toSorted(),
    );
    // Unchanged tables are hard links to the previous build's files.
    const links = builds.map(({ name }) => {
      const lake = path.join(dataDir, 'published', 'builds', name, 'lake');
      return statSync(path.join(lake, readLakeIndex(lake)?.tables['core.nomenclatures']?.files[0]?.file ?? '')).ino;
    });
    expect(new Set(links).size).toBe(1);
  });

  it('switches file and lake through one link', () => {
    const link = (name: string) => readlinkSync(path.join(before, 'published', name));
    expect([link('market.duckdb'), link('lake')]).toEqual([
      path.join('current', 'market.duckdb'),
      path.join('current', 'lake'),
    ]);
    expect(link('current')).toBe(path.join('builds', currentBuild(before) ?? ''));
  });
});
