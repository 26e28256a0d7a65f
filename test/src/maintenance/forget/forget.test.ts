import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { fetchers } from '../../../../src/crawl/streams/index.js';
import { PEOPLE } from '../../../../schemas/streams/people.js';
import { manifestName, readManifests, readPartRows } from '../../../../src/landing/index.js';
import { listParts } from '../../../../src/warehouse/load/part-check.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { openWarehouse } from '../../../../src/warehouse/duckdb/open.js';
import { rebuildWarehouse } from '../../../../src/maintenance/rebuild.js';
import { forget, type ForgetRequest, type Forgot } from '../../../../src/maintenance/forget/forget.js';
import type { Subject } from '../../../../src/privacy/forgotten.js';
import { findTexts } from '../../../helpers/find-texts.js';
import { queryFile } from '../../../helpers/project.js';
import { land, publishAndReopen, temporaryDataDir } from '../../../helpers/warehouse.js';
import { COUNT, GONE, landPeople, listing, markersOf, plantFiles, plantSpool } from './people.js';
import { Data } from '../../../../src/store/data.js';

const NOW = new Date('2026-11-10T02:00:00Z');
const MARKERS = GONE.flatMap((id) => [...markersOf(id), markersOf(id)[2]!.toUpperCase()]);
const people = (...ids: string[]): Subject[] => ids.map((id) => ({ kind: 'person', id }));

const run = (dataDir: string, request: Partial<ForgetRequest>): Promise<Forgot> =>
  forget(new Data(dataDir), { subjects: [], now: NOW, personalData: true, ...request });

/** Lands the people, then loads and publishes twice, so that two builds hold them. */
async function plant(dataDir: string): Promise<void> {
  await landPeople(dataDir);
  let warehouse = await openWarehouse(new Data(dataDir));
  try {
    await loadLanding(warehouse, new Data(dataDir));
    await buildModels(warehouse, { now: NOW, personalData: true });
    for (const name of ['first', 'second'])
      warehouse = await publishAndReopen(warehouse, dataDir, { run: name, now: NOW });
  } finally {
    await warehouse.close();
  }
  plantFiles(dataDir);
  const longAgo = new Date(Date.now() - 3_600_000);
  utimesSync(plantSpool(dataDir), longAgo, longAgo);
}

async function tablesOf(dataDir: string): Promise<Record<string, unknown>> {
  const file = path.join(dataDir, 'published', 'market.duckdb');
  const tables = [
    'core.executives',
    'core.watch_events',
    'core.tender_contacts',
    'core.enrichments',
    'core.matches',
    'marts.changes',
    'ops.rejects',
  ];
  const rows = await Promise.all(tables.map((table) => queryFile(file, `FROM ${table} ORDER BY ALL`)));
  return Object.fromEntries(tables.map((table, i) => [table, rows[i]]));
}

const query = (dataDir: string, sql: string) => queryFile(path.join(dataDir, 'published', 'market.duckdb'), sql);

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

let planted: string;
beforeAll(async () => {
  planted = temporaryFolder();
  await plant(planted);
});

function copyOf(folder: string): string {
  const copy = temporaryFolder();
  cpSync(folder, copy, { recursive: true, preserveTimestamps: true });
  return copy;
}

describe(`${GONE.length} forgotten people`, () => {
  let dataDir: string;
  let done: Forgot;

  beforeAll(async () => {
    dataDir = copyOf(planted);
    done = await run(dataDir, { subjects: people(...GONE) });
  });

  it('were in the landing zone, the warehouse, both builds, rejects, logs and lists before', async () => {
    const places = new Set((await findTexts(planted, MARKERS)).map((hit) => hit.split(/[/:]/, 1)[0]));
    expect([...places]).toEqual(
      expect.arrayContaining(['landing', 'warehouse', 'published', 'rejects', 'logs', 'resolve', 'rebuilt', 'env']),
    );
  });

  it('leave no byte in the data folder', async () => {
    expect(await findTexts(dataDir, MARKERS)).toEqual([]);
    expect(done.proof).toMatchObject({ proven: true, remaining: [], unread: [], others: [] });
    expect(done.proof?.values).toBeGreaterThan(COUNT * 22);
    expect(readdirSync(path.join(dataDir, 'published', 'builds'))).toHaveLength(1);
    expect(existsSync(path.join(dataDir, 'secrets', 'forget-unproven.json'))).toBe(false);
    expect(readFileSync(path.join(dataDir, 'logs', 'worker.log'), 'utf8')).toBe('one line\nanother line\n');
  });

  it('take nobody and nothing else with them', async () => {
    const [before, after] = [planted, dataDir].map((folder) =>
      query(
        folder,
        `SELECT executive_id, company_id, last_name, email, is_listed FROM core.executives WHERE executive_id < 5000000 ORDER BY 1`,
      ),
    );
    expect(await after).toEqual(await before);
    expect(await after).toHaveLength(2 * COUNT);
    expect(await query(dataDir, 'SELECT count(*)::INTEGER AS n FROM core.executives')).toEqual([{ n: 2 * COUNT }]);
    expect(await query(dataDir, 'SELECT name, count(*)::INTEGER AS n FROM core.tender_contacts GROUP BY ALL')).toEqual([
      { name: 'office@buyer.example', n: COUNT },
    ]);
    const events = `SELECT field, received_via, message_text, new_value, count(*)::INTEGER AS n FROM core.watch_events GROUP BY ALL ORDER BY ALL`;
    expect(await query(dataDir, events)).toEqual([
      { field: 'company.status', received_via: 'poll', message_text: 'Now active', new_value: null, n: 2 * COUNT },
      { field: 'employee.email', received_via: 'webhook', message_text: null, new_value: null, n: 2 * COUNT },
      {
        field: 'officer.appointment',
        received_via: 'poll',
        message_text: 'Somebody Else',
        new_value: null,
        n: 2 * COUNT,
      },
      { field: 'officer.appointment', received_via: 'poll', message_text: null, new_value: null, n: 2 * COUNT },
    ]);
  });

  it('leave manifests that fit their parts, and a warehouse that a replay makes again', async () => {
    const { parts, faults } = listParts(dataDir);
    expect(faults).toEqual([]);
    for (const part of parts) for (const row of readPartRows(part)) expect(row.sha256).toMatch(/^[0-9a-f]{64}$/);
    const before = await tablesOf(dataDir);
    await rebuildWarehouse(new Data(dataDir), { now: NOW, personalData: true });
    expect(await tablesOf(dataDir)).toEqual(before);
    expect(await findTexts(dataDir, MARKERS)).toEqual([]);
  });

  it('do not come back with later answers', async () => {
    const folder = copyOf(dataDir);
    await land(folder, [listing(1_000, 3)]);
    const landed = readManifests(folder, { run: 'n3' }).flatMap(readPartRows);
    expect(landed).toHaveLength(1);
    expect(JSON.parse(landed[0]!.body).list).toHaveLength(2);
    expect(await findTexts(folder, MARKERS)).toEqual([]);
  });

  it('do not come back with a restored part', async () => {
    const folder = copyOf(dataDir);
    const [part] = readManifests(planted, { stream: 'executives', run: 'n1' });
    const name = path.basename(part!.file);
    const target = path.join(folder, path.relative(planted, path.dirname(part!.file)));
    for (const file of [name, path.join('_manifest', manifestName(name))])
      cpSync(path.join(path.dirname(part!.file), file), path.join(target, file));
    await run(folder, {});
    expect(await findTexts(folder, MARKERS)).toEqual([]);
  });
});

describe('tidemark forget', () => {
  it('forgets all people of a company, and keeps those of others', async () => {
    const dataDir = copyOf(planted);
    const { proof } = await run(dataDir, { subjects: [{ kind: 'company', id: '1000' }] });
    expect(proof).toMatchObject({ proven: true });
    expect(await query(dataDir, 'SELECT count(*)::INTEGER AS n FROM core.executives WHERE company_id = 1000')).toEqual([
      { n: 0 },
    ]);
    expect(await query(dataDir, 'SELECT count(*)::INTEGER AS n FROM core.executives')).toEqual([
      { n: (COUNT - 1) * 7 },
    ]);
    const texts = `SELECT count(*)::INTEGER AS n FROM core.watch_events WHERE company_id = 1000 AND message_text IS NOT NULL`;
    expect(await query(dataDir, texts)).toEqual([{ n: 2 }]);
    const own = GONE.slice(0, 5).flatMap(markersOf);
    expect(await findTexts(dataDir, own)).toEqual([]);
  });

  it('changes nothing when no answer names the person, and keeps the builds', async () => {
    const dataDir = copyOf(planted);
    expect(await run(dataDir, { subjects: people('77') })).toEqual({ rows: 0, parts: 0, removed: [], proof: null });
    expect(readdirSync(path.join(dataDir, 'published', 'builds'))).toHaveLength(2);
  });

  it('removes only answers older than the retention', async () => {
    const dataDir = temporaryDataDir();
    await landPeople(dataDir);
    await land(dataDir, [listing(1_000, 4, false)]);
    const { proof } = await run(dataDir, {
      expired: { executives: new Date('2026-11-03T00:00:00Z'), watch_events: new Date('2026-11-02T00:00:00Z') },
    });
    expect(proof?.unread).toEqual([]);
    const rows = readManifests(dataDir, { stream: 'executives' }).flatMap(readPartRows);
    expect(rows.map(({ fetched_at }) => fetched_at.slice(0, 10))).toEqual(['2026-11-04']);
    const events = readManifests(dataDir, { stream: 'watch_events' }).flatMap(readPartRows);
    expect(events).toHaveLength(4 * COUNT);
    expect(
      events.filter(({ body }) => body.includes('tidemark_removed')).map(({ fetched_at }) => fetched_at.slice(0, 10)),
    ).toEqual(Array.from({ length: 2 * COUNT }, () => '2026-11-01'));
  });

  it('removes all personal data, as personalData: none does before landing', async () => {
    const dataDir = copyOf(planted);
    const { proof } = await run(dataDir, { everyone: true, personalData: false });
    expect(proof).toMatchObject({ remaining: [], unread: [] });
    const stays = markersOf('10000').slice(1);
    expect(await findTexts(dataDir, [...MARKERS, ...stays, 'office@buyer.example', 'Somebody'])).toEqual([]);
    expect(
      await query(dataDir, 'SELECT count(*)::INTEGER AS n, count(full_name)::INTEGER AS names FROM core.executives'),
    ).toEqual([{ n: 7 * COUNT, names: 0 }]);
  });

  it('refuses while a run is fetching people', async () => {
    const dataDir = temporaryDataDir();
    await landPeople(dataDir);
    plantSpool(dataDir);
    await expect(run(dataDir, { subjects: people(GONE[0]!) })).rejects.toThrow(/Run n2 is fetching executives/);
  });

  it('refuses while another process writes the warehouse', async () => {
    const dataDir = temporaryDataDir();
    await landPeople(dataDir);
    const warehouse = await openWarehouse(new Data(dataDir));
    onTestFinished(() => warehouse.close());
    await expect(run(dataDir, { subjects: people(GONE[0]!) })).rejects.toThrow(/in use|busy|open/i);
  });

  it('says what it could not remove', async () => {
    const dataDir = copyOf(planted);
    const [, , email] = markersOf(GONE[0]!);
    appendFileSync(path.join(dataDir, 'notes.txt'), `mail ${email}`);
    const { proof } = await run(dataDir, { subjects: people(GONE[0]!) });
    expect(proof).toMatchObject({ proven: false, remaining: [{ file: 'notes.txt' }] });
    rmSync(path.join(dataDir, 'notes.txt'));
    expect((await run(dataDir, {})).proof).toMatchObject({ proven: true });
  });
});

describe('the register of streams about people', () => {
  it('has an entry for each stream whose answers may describe people', () => {
    const streams = Object.entries(fetchers).flatMap(([stream, { withoutPersonalData }]) =>
      withoutPersonalData === undefined ? [] : [stream],
    );
    expect(streams.length).toBeGreaterThan(2);
    expect(streams.filter((stream) => !(stream in PEOPLE))).toEqual([]);
  });
});

function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-forget-'));
  folders.push(folder);
  return folder;
}
