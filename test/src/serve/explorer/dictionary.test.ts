import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Dictionary } from '../../../../schemas/explorer/api.js';
import { readModelFacts } from '../../../../src/serve/explorer/data/dictionary.js';
import { searchDictionary, splitColumn, tableAddress } from '../../../../ui/src/lib/dictionary.js';
import { columnGraph, layOut, tableGraph } from '../../../../ui/src/lib/lineage.js';
import { publishTwoNights, startTestExplorer, type TestExplorer } from '../../../helpers/explorer.js';

let dataDir: string;
let explorer: TestExplorer;
let dictionary: Dictionary;

beforeAll(async () => {
  dataDir = await publishTwoNights((id) => `Company ${id}`);
  explorer = await startTestExplorer(dataDir);
  dictionary = await explorer.json<Dictionary>('/api/v1/dictionary');
});
afterAll(async () => {
  await explorer.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const entry = (table: string) => dictionary.tables.find((one) => one.table === table);

it('describes each table from the published file alone', () => {
  expect(dictionary.missing).toBeNull();
  expect(entry('core.tenders')).toMatchObject({
    grain: 'tender',
    key: ['slug'],
    kind: 'table',
    rows: 3,
    reads: expect.arrayContaining(['ledger.tender_records', 'ledger.tender_sightings']),
    audits: expect.arrayContaining([
      { name: 'key_is_unique', severity: 'error', failing_rows: 0, at: expect.any(String) },
    ]),
  });
  for (const { table, grain, columns } of dictionary.tables) {
    if (table === 'meta.receipt') continue;
    expect([table, grain]).toEqual([table, expect.any(String)]);
    for (const column of columns) expect([table, column.name, column.lineage]).not.toContain(null);
  }
});

it('traces tables to landed streams, and columns to loaded records', () => {
  const names = (start: string, graph = tableGraph(dictionary)): string[] =>
    layOut(graph, start).nodes.map(({ name }) => name);
  expect(names('marts.tender_pipeline')).toEqual(
    expect.arrayContaining(['core.tenders', 'ledger.tender_records', 'landing/tenders', 'landing/tender_details']),
  );
  expect(names('core.companies')).toEqual(
    expect.arrayContaining(['landing/companies', 'landing/prospecting', 'marts.companies']),
  );
  expect(names('marts.tender_pipeline.title', columnGraph(dictionary))).toEqual(
    expect.arrayContaining(['core.tenders.title', 'ledger.tender_records.title']),
  );
});

it('names the streams of every table of loaded records that a model reads', () => {
  const filled = new Set([...dictionary.streams.flatMap(({ tables }) => tables), ...dictionary.every_stream]);
  const read = new Set(dictionary.tables.flatMap(({ reads }) => reads).filter((table) => table.startsWith('ledger.')));
  // Tidemark itself writes these: rates of exchange, and fields of answers.
  const own = ['fx_rates', 'fx_settings', 'shapes'];
  expect([...read].filter((table) => !filled.has(table)).toSorted()).toEqual(own.map((name) => `ledger.${name}`));
});

it('says when each model was added, and with how many rows', () => {
  expect(entry('core.tenders')).toMatchObject({
    versions: [{ version: 1, state: 'current', applied_at: expect.any(String) }],
    changes: [{ change: 'added', version: 1, previous_version: null, rows_before: null, rows_after: 3, origin: 'run' }],
  });
  expect(entry('meta.receipt')).toMatchObject({ versions: [], changes: [] });
});

it('says what is unknown if the texts of the models cannot be read', async () => {
  const facts = await readModelFacts([{ table_name: 'core.x', definition: 'no header' }]);
  expect(facts.missing).toContain('lineage');
  expect(facts.tables.size).toBe(0);
});

it('finds tables and columns by name and comment', () => {
  const found = (text: string): string[] => searchDictionary(dictionary, text).map((hit) => hit.entry.table);
  expect(found('')).toHaveLength(dictionary.tables.length);
  expect(found('tender_pipeline')).toEqual(['marts.tender_industries', 'marts.tender_pipeline']);
  expect(found('DEADLINE passed')).toContain('marts.tender_pipeline');
  expect(found('no such words')).toEqual([]);
  const [hit] = searchDictionary(dictionary, 'marts.companies left_on');
  expect(hit?.columns.map(({ name }) => name)).toEqual(['left_on']);
});

it('writes addresses', () => {
  expect(tableAddress('core.companies', { column: 'name', tab: 'lineage' })).toBe(
    '/tables/core.companies?tab=lineage&column=name',
  );
  expect(splitColumn('core.companies.name')).toEqual({ table: 'core.companies', column: 'name' });
});
