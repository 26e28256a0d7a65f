import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { PEOPLE_STREAMS } from '../../../../schemas/streams/people.js';
import { JOB_FIELDS } from '../../../../src/privacy/personal-data.js';
import { haveSameBytes } from '../../../../src/warehouse/duckdb/copy-closed.js';
import { openWarehouse } from '../../../../src/warehouse/duckdb/open.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { findFreeBlocks } from '../../../../src/warehouse/publish/free-blocks.js';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { listBuilds } from '../../../../src/warehouse/builds/builds.js';
import { publishedFile } from '../../../../src/store/data-folder.js';
import { land, publishAndReopen, temporaryDataDir, type Answer } from '../../../helpers/warehouse.js';
import { answersAbout } from '../../maintenance/forget/plant-many.js';
import { Data } from '../../../../src/store/data.js';

const JOB: Answer = {
  run: 'r1',
  date: '2026-11-01',
  at: '2026-11-01T01:00:00Z',
  stream: 'ownership_jobs',
  entity: '1000100',
  request: 'GET /v2/kyb/jobs/7',
  body: { id: '7', state: 'done', owners: [{ id: 5, type: 'person', name: 'Somebody' }] },
};

it('knows for each stream about people that its rows may name people', async () => {
  const dataDir = temporaryDataDir();
  const answers = [...answersAbout(1_000_100, '2026-11-01'), JOB];
  const warehouse = await openWarehouse(new Data(dataDir));
  const { db } = warehouse;
  const tables = await db.rows<{ name: string }>(
    `SELECT table_name AS name FROM duckdb_tables() WHERE schema_name = 'ledger' AND table_name NOT IN ('loaded_parts', 'built_from')`,
  );
  const named: string[] = [];
  for (const stream of PEOPLE_STREAMS) {
    for (const { name } of tables) await db.run(`DELETE FROM ledger.${name}`);
    expect(await findFreeBlocks(db)).toEqual({ warehouse: false, copy: false, isReduced: false });
    await land(
      dataDir,
      answers.filter((answer) => answer.stream === stream && answer.status !== 0),
    );
    await loadLanding(warehouse, new Data(dataDir));
    if ((await findFreeBlocks(db)).copy) named.push(stream);
  }
  const shown = await Promise.all(
    [...JOB_FIELDS].map((field) =>
      db.count(`SELECT CAST(part_names_person('employees', '$.data[0].${field}') AS INTEGER)`),
    ),
  );
  await warehouse.close();
  expect(named).toEqual(PEOPLE_STREAMS);
  expect(shown).toEqual(shown.map(() => 0));
});

const HANDLES = '/proc/self/fd';

it.skipIf(!existsSync(HANDLES))('closes the first file of a comparison if the second one is missing', async () => {
  const file = path.join(temporaryDataDir(), 'one');
  writeFileSync(file, 'x');
  const handles = (): number => readdirSync(HANDLES).length;
  const before = handles();
  for (let i = 0; i < 20; i++) await expect(haveSameBytes(file, `${file}.none`)).rejects.toThrow('ENOENT');
  expect(handles()).toBeLessThan(before + 20);
});

it('keeps the shown build if the warehouse cannot be written again after a change to none', async () => {
  const dataDir = temporaryDataDir();
  const now = new Date('2026-11-02T00:00:00Z');
  await land(dataDir, answersAbout(1_000_100, '2026-11-01'));
  let warehouse = await openWarehouse(new Data(dataDir));
  await loadLanding(warehouse, new Data(dataDir));
  await buildModels(warehouse, { now, personalData: true });
  warehouse = await publishAndReopen(warehouse, dataDir, { run: 'one', now });
  await buildModels(warehouse, { now, personalData: false });
  const replaceFile = (): Promise<void> => Promise.reject(new Error('no space'));
  await expect(publishAndReopen({ ...warehouse, replaceFile }, dataDir, { run: 'two', now })).rejects.toThrow(
    'no space',
  );
  expect(listBuilds(dataDir)).toMatchObject([{ run: 'two', current: true }]);
  expect(existsSync(publishedFile(dataDir))).toBe(true);
  warehouse = await publishAndReopen(await openWarehouse(new Data(dataDir)), dataDir, { run: 'three', now });
  await warehouse.close();
  expect(listBuilds(dataDir)).toMatchObject([{ run: 'three', current: true }]);
});

it.each([
  [
    '…3000',
    '…3000',
    { request: { id: '…3000' }, payload: { id: 7, account: '…3000' }, report: { id: 7, of: '…3000' } },
    false,
  ],
  ['DE893704', '…3000', { request: { id: '…3000' }, payload: null, report: null }, true],
])('shows no account number of %s after a change to none', async (number, masked, shown, isNamed) => {
  const dataDir = temporaryDataDir();
  const at = { run: 'r1', date: '2026-11-01', at: '2026-11-01T01:00:00Z', market: null };
  const entity = JSON.stringify({ fingerprint: 'a', id: masked });
  const request = `POST /v2/know-your-payee ${JSON.stringify({ id: number })}`;
  await land(dataDir, [
    { ...at, stream: 'payee_checks', entity, request, body: { id: 7, account: number } },
    { ...at, stream: 'payee_reports', entity: '7', request: 'GET /v2/know-your-payee/7', body: { id: 7, of: number } },
    // An answer without an id becomes a reject.
    ...(isNamed
      ? [
          {
            ...at,
            stream: 'payee_checks' as const,
            entity,
            request,
            at: '2026-11-01T02:00:00Z',
            body: { account: number },
          },
        ]
      : []),
  ]);
  const warehouse = await openWarehouse(new Data(dataDir));
  const { db } = warehouse;
  await loadLanding(warehouse, new Data(dataDir));
  for (const personalData of [true, false]) await buildModels(warehouse, { now: new Date(at.at), personalData });
  const rows = await db.rows<Record<string, string | null>>(
    `SELECT CAST(request AS VARCHAR) AS request, CAST(payload AS VARCHAR) AS payload, CAST(report AS VARCHAR) AS report
       FROM core.payee_checks WHERE check_id = '7'`,
  );
  const texts = await db.rows<{ text: string }>(
    `SELECT CAST(t AS VARCHAR) AS text FROM (FROM core.payee_checks) AS t
       UNION ALL SELECT CAST(t AS VARCHAR) FROM (FROM core.payee_checks_history) AS t
       UNION ALL SELECT CAST(t AS VARCHAR) FROM (FROM ops.rejects) AS t`,
  );
  await db.run('UPDATE ledger.built_from SET had_personal_data = false');
  const { copy } = await findFreeBlocks(db);
  await warehouse.close();
  const parsed = rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, text]) => [name, JSON.parse(text ?? 'null') as unknown])),
  );
  expect(parsed).toEqual([shown]);
  expect(texts.length).toBeGreaterThanOrEqual(3);
  if (isNamed) expect(texts.filter(({ text }) => text.includes(number))).toEqual([]);
  expect(copy).toBe(isNamed);
});
