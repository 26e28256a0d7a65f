import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { plain, renderSources } from '../../../../../src/warehouse/models/dbt/sources.js';
import { checksOf } from '../../../../../src/warehouse/models/dbt/tests.js';
import { describeTables, type TableDocs } from '../../../../../src/warehouse/models/docs.js';
import { parseModel, readModels, type Model } from '../../../../../src/warehouse/models/models.js';
import { EVERY_KIND } from './every-kind.js';

interface SourceFile {
  sources: { name: string; schema: string; tables: SourceTable[] }[];
}
interface SourceTable {
  name: string;
  description: string;
  config: Record<string, unknown>;
  data_tests?: Record<string, object>[];
  columns: { name: string; description: string; data_type: string; quote?: boolean; data_tests?: object[] }[];
}

let models: Model[];
let tables: TableDocs[];

beforeAll(async () => {
  const own = {
    ...parseModel({ name: 'marts/every_kind.sql', text: EVERY_KIND }),
    parents: ['core.companies'],
    fingerprint: '',
  };
  models = [...(await readModels()), own];
  tables = describeTables(models);
});

const sources = (): SourceFile['sources'] => (parse(renderSources(tables)) as SourceFile).sources;

it('names every table, column, type and comment in sources.yml', () => {
  const found = sources().flatMap(({ schema, tables: own }) =>
    own.map(({ name, columns }) => ({
      table: `${schema}.${name}`,
      columns: columns.map(({ name: column, description, data_type: type }) => [column, type, description]),
    })),
  );
  const expected = tables.map(({ table, columns }) => ({
    table,
    columns: columns.map(({ name, type, comment }) => [name, type, plain(comment)]),
  }));
  expect(found).toEqual(expected);
});

it('turns every audit into a test, a freshness or a name in meta', () => {
  for (const table of tables) {
    const { tests, freshness, others } = checksOf(table);
    const prefix = table.table.replace('.', '_');
    const told = [
      ...tests.map(({ name }) => name.slice(prefix.length + 1)),
      ...others.map(({ name }) => name),
      ...(freshness === null ? [] : ['freshness']),
    ];
    const missing = table.audits.filter(
      ({ name, test }) => name !== 'key_is_not_null' && !told.includes(test?.kind === 'freshness' ? 'freshness' : name),
    );
    expect(missing, table.table).toEqual([]);
    expect(told).toEqual(
      expect.arrayContaining(table.key.filter((c) => !table.nullable.includes(c)).map((c) => `${c}_is_not_null`)),
    );
  }
});

it('gives each test a name that no other test has', () => {
  const names = tables.flatMap((table) => checksOf(table).tests.map(({ name }) => name));
  expect(names.length).toBeGreaterThan(tables.length);
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
});

it('writes each kind of audit in the form of dbt', () => {
  const table = sources()
    .find(({ name }) => name === 'tidemark_marts')!
    .tables.find(({ name }) => name === 'every_kind')!;
  expect(table).toMatchObject({
    config: {
      meta: { owner: 'Research', depends_on: ['core.companies'], audits: ['no_negative_id'], version: 1 },
      tags: ['weekly', 'test'],
      loaded_at_field: `cast("read_at" as timestamptz) at time zone 'UTC'`,
      freshness: { warn_after: { count: 36, period: 'hour' } },
    },
    data_tests: [
      { unique: { name: 'marts_every_kind_key_is_unique', arguments: { column_name: 'row("company_id", "order")' } } },
      {
        accepted_values: {
          name: 'marts_every_kind_range_share',
          arguments: { column_name: '("share" >= 0 and "share" <= 1)', values: [true], quote: false },
          config: { severity: 'warn' },
        },
      },
    ],
  });
  const tests = Object.fromEntries(table.columns.map(({ name, data_tests: own }) => [name, own]));
  expect(tests).toEqual({
    company_id: [
      { not_null: { name: 'marts_every_kind_company_id_is_not_null' } },
      {
        relationships: {
          name: 'marts_every_kind_relationships_company_id',
          arguments: { field: 'company_id', to: "source('tidemark_core', 'companies')" },
        },
      },
    ],
    order: [
      {
        accepted_values: {
          name: 'marts_every_kind_accepted_values_order',
          arguments: { values: [1, 2], quote: false },
        },
      },
    ],
    state: [
      {
        accepted_values: {
          name: 'marts_every_kind_accepted_values_state',
          arguments: { values: ["'new'", "'it''s old'"], quote: false },
        },
      },
    ],
    is_open: [
      {
        accepted_values: {
          name: 'marts_every_kind_accepted_values_is_open',
          arguments: { values: [true], quote: false },
        },
      },
    ],
  });
});

it('leaves no template of dbt in a description', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('{', '%', '#', '}', 'a', ' ', "'") }), (text) => {
      const written = plain(text);
      const shown = written.replaceAll(/\{\{ '(\{[{%#])' \}\}/g, '');
      expect(shown).not.toMatch(/\{[{%#]/);
      // dbt replaces each expression by its text.
      const rendered = written.replaceAll(/\{\{ '(\{[{%#])' \}\}/g, '$1');
      expect(rendered).toBe(text.replaceAll(/\s+/g, ' ').trim());
    }),
  );
});
