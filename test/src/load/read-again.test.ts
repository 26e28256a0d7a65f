import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkWarehouse } from '../../../src/commands/doctor/check-warehouse.js';
import { readManifests } from '../../../src/landing/index.js';
import { buildModels } from '../../../src/models/run-models.js';
import { loadLanding } from '../../../src/load/load.js';
import { openWarehouse, type Warehouse } from '../../../src/duckdb/open.js';
import { land, temporaryDataDir, type Answer } from '../../helpers/warehouse.js';

const delivery = (value: string, minute: string): Answer => ({
  stream: 'watch_events',
  run: 'webhook',
  request: 'WEBHOOK /delivery',
  entity: '1',
  at: `2026-11-01T10:${minute}:00Z`,
  body: {
    company_data: { id: 1, name: 'Fjord', date: '2026-11-01T10:00:00Z' },
    field: 'officer.appointment',
    new_value: value,
  },
});

const answers: Answer[] = [
  delivery('Ann', '01'),
  delivery('Bo', '02'),
  { stream: 'tenders', at: '2026-11-01T02:00:00Z', body: { data: [{ slug: 't1', deadline_date: '2027-01-12' }] } },
  {
    stream: 'tender_details',
    entity: 't1',
    at: '2026-11-01T02:05:00Z',
    body: { slug: 't1', type: 'Grant', deadline_date: '2027-01-12T17:00:00', budget: 5 },
  },
  {
    stream: 'companies',
    entity: '1',
    at: '2026-11-01T02:00:00Z',
    body: { id: 1, industry: [{ id: 3, type: 'industry_focus', value: 'Food', weight: 0.5 }] },
  },
  { stream: 'watched_companies', at: '2026-11-01T02:00:00Z', body: { data: [{ id: '1', country_code: 'DK' }] } },
  {
    stream: 'financials_v1',
    entity: '1',
    at: '2026-11-01T02:00:00Z',
    body: {
      companyId: '1',
      country: 'DK',
      reports: [{ date: 20_231_231, indicators: { Cash: { value: 1 } } }, { date: 20_230_331 }],
    },
  },
];

/** Turns the tables into what versions before migrations 000020 to 000025 made of these answers. */
const AS_BEFORE = `
  DELETE FROM main.migrations WHERE name >= 'migrations/000020' AND name < 'migrations/000026';
  CREATE TABLE ledger.events_before AS SELECT * FROM ledger.watch_events;
  DROP VIEW ledger.watch_events;
  ALTER TABLE ledger.events_before RENAME TO watch_events;
  DROP TABLE ledger.received_events;
  DROP TABLE ledger.streams_to_read_again;
  DROP TABLE ledger.v1_reports;
  DROP TABLE ledger.delivered_values;
  DROP TABLE ledger.code_extras;
  ALTER TABLE ledger.tender_records DROP COLUMN extra;
  ALTER TABLE ledger.tender_records DROP COLUMN contact_extras;
  ALTER TABLE ledger.watched_companies DROP COLUMN name;
  ALTER TABLE ledger.watched_companies DROP COLUMN country_code;
  ALTER TABLE ledger.watched_companies DROP COLUMN registration_number;
  ALTER TABLE ledger.tender_records DROP COLUMN announced_at;
  ALTER TABLE ledger.tender_records DROP COLUMN deadline_at;
  ALTER TABLE ledger.tender_versions DROP COLUMN announced_at;
  ALTER TABLE ledger.tender_versions DROP COLUMN deadline_at;`;

async function makeOldWarehouse(dataDir: string): Promise<void> {
  await land(dataDir, answers);
  const warehouse = await openWarehouse(dataDir);
  await loadLanding(warehouse, dataDir);
  for (const statement of AS_BEFORE.split(';').filter((text) => text.trim() !== '')) await warehouse.db.run(statement);
  await warehouse.close();
}

async function contents({ db }: Warehouse): Promise<unknown> {
  return {
    events: await db.rows('SELECT event_id, new_value FROM core.watch_events ORDER BY event_id'),
    tenders: await db.rows('SELECT slug, type, deadline_at, extra FROM core.tenders'),
    versions: await db.rows('SELECT version, type, deadline_at FROM core.tenders_history'),
    reports: await db.rows('SELECT report_date, country, is_latest FROM core.dated_reports ORDER BY ALL'),
    values: await db.rows('SELECT fiscal_year, indicator, value_double FROM core.financials'),
    codes: await db.rows('SELECT company_id, code_id, extra FROM core.company_codes'),
    companies: await db.rows('SELECT company_id, version FROM core.companies_history'),
    watched: await db.rows('SELECT company_id, name, country_code FROM core.watched_companies'),
    observations: await db.count('SELECT count(*) FROM ledger.observations'),
    shapes: await db.count('SELECT sum(bodies) FROM ledger.shapes'),
    parts: await db.count('SELECT count(*) FROM ledger.loaded_parts'),
  };
}

async function contentsAfterLoad(dataDir: string): Promise<unknown> {
  const warehouse = await openWarehouse(dataDir);
  try {
    // A second load finds nothing left to do.
    for (const _ of [1, 2]) await loadLanding(warehouse, dataDir).catch(() => undefined);
    // With personalData: contacts, so that events about people keep their values.
    await buildModels(warehouse, { personalData: true });
    return await contents(warehouse);
  } finally {
    await warehouse.close();
  }
}

describe('a warehouse of an older version', () => {
  test('reloads an older warehouse from the landing zone to the same tables', async () => {
    const dataDir = temporaryDataDir();
    await makeOldWarehouse(dataDir);
    expect(await checkWarehouse(dataDir)).toMatchObject({ state: 'ok' });
    const upgraded = await contentsAfterLoad(dataDir);
    rmSync(`${dataDir}/warehouse`, { recursive: true });
    expect(upgraded).toEqual(await contentsAfterLoad(dataDir));
    expect(upgraded).toMatchObject({
      events: [{ new_value: 'Ann' }, { new_value: 'Bo' }],
      tenders: [{ deadline_at: '2027-01-12 17:00:00', extra: '{"budget":5}' }],
      codes: [{ company_id: '1', code_id: '3', extra: '{"weight":0.5}' }],
      versions: [{ version: 1, type: 'Grant', deadline_at: '2027-01-12 17:00:00' }],
      watched: [{ company_id: '1', name: 'Fjord', country_code: 'DK' }],
      reports: [
        { report_date: '2023-03-31', country: 'DK', is_latest: false },
        { report_date: '2023-12-31', country: 'DK', is_latest: true },
      ],
    });
    expect(await checkWarehouse(dataDir)).toMatchObject({ state: 'ok' });
  });

  test('keeps a stream with missing parts and lets doctor name it', async () => {
    const dataDir = temporaryDataDir();
    await makeOldWarehouse(dataDir);
    for (const { file } of readManifests(dataDir, { stream: 'watch_events' })) rmSync(file);
    expect(await contentsAfterLoad(dataDir)).toMatchObject({
      events: [{ event_id: '1/officer.appointment/2026-11-01T10:00:00Z', new_value: 'Ann' }],
      tenders: [{ deadline_at: '2027-01-12 17:00:00' }],
      parts: 6,
    });
    expect(await checkWarehouse(dataDir)).toMatchObject({
      state: 'warn',
      message: expect.stringContaining('watch_events') as string,
    });
  });
});
