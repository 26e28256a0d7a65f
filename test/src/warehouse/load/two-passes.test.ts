import fc from 'fast-check';
import { expect, it } from 'vitest';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { land, openTestWarehouse, temporaryDataDir, type Answer } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

/*
 * The first pass of staging reads plain records, and the second pass all others. An id with a space before it makes a
 * record odd and changes nothing else. So the same record is read once by each pass.
 */

const RECORDS = 300;
const OTHER = 1_000_000;
const orNull = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | null> => fc.option(value, { nil: null });
// Some of these values are odd in some fields, so the weights keep most records plain.
const text = fc.oneof(
  {
    weight: 60,
    arbitrary: fc.constantFrom(null, '', 'a', 'A/S', 'a, b,,c ,d', 'null', 'é\u00a0', '007', 12, 1.5, false),
  },
  {
    weight: 1,
    arbitrary: fc.oneof(fc.constantFrom('say "x"', 'a\\b', 'x\ny', '1e5x', ' a'), fc.double({ noNaN: true })),
  },
);
const list = orNull(
  fc.array(fc.constantFrom('+45 11 22 33 44', 'a@b.example', 'é', 'a, b', '[x]', '{'), { maxLength: 3 }),
);
const size = fc.constantFrom(null, '', 12, '12', '11-50', '50-11', '10000+', '999999999', '1', '0-0');
const date = fc.constantFrom(
  null,
  '',
  '1987-04-01',
  '2024-02-29',
  '2020-01-31T10:00:00Z',
  '2020-01-31 23:59',
  '9999-12-31',
);
const classes = orNull(
  fc.array(
    fc.record(
      {
        type: fc.constantFrom(null, 'industry_focus', 'sic_code_dk'),
        id: fc.oneof(fc.constantFrom('7', '007', '-1'), fc.nat(20)),
        value: fc.constantFrom(null, 'IT', '01120 Growing of rice', '{x}: [y]'),
      },
      { requiredKeys: ['id'] },
    ),
    { maxLength: 3 },
  ),
);
const extra = fc.constantFrom(undefined, 1, ['x'], { a: null });

const V2 = fc.record(
  {
    name: text,
    registration_number: text,
    country_code: text,
    country_name: text,
    company_phone: list,
    company_email: list,
    company_fax: list,
    company_website: text,
    company_legal_form: text,
    status: text,
    brands: fc.oneof(text, list),
    address_street: text,
    address_location: text,
    address_city: text,
    country_region: text,
    zip_code: text,
    size,
    vat_number: text,
    founding_date: date,
    industry: classes,
    sic: classes,
    microblog: text,
    pronet: text,
    socialnet: text,
    new_field: extra,
  },
  { requiredKeys: [] },
);
const phones = fc.oneof(
  text,
  fc.constantFrom('+45 11 22 33 44, +45 22 33 44 55', '12345; x', 'a@b.example; c@d.example'),
);
const V1 = fc.record(
  {
    name: text,
    registration_number: text,
    country_short_name: text,
    country_name: text,
    company_phone: phones,
    company_email: phones,
    company_fax: phones,
    company_website: text,
    company_legal_form: text,
    brands: text,
    address_street: text,
    address_location: text,
    country_region: text,
    zip_code: text,
    size,
    vat_number: text,
    founding_date: date,
    new_field: extra,
  },
  { requiredKeys: [] },
);

it.each([
  ['companies', 'company_records', V2],
  ['companies_v1', 'company_records_v1', V1],
] as const)('reads plain records of %s in both passes alike', async (stream, table, record) => {
  const dataDir = temporaryDataDir();
  const bodies: object[] = fc.sample<object>(record, { numRuns: RECORDS, seed: 20_261_120 });
  const answers = bodies.flatMap((body, n): Answer[] => [
    { stream, entity: String(n), body: { ...body, id: n } },
    { stream, entity: String(n + OTHER), body: { ...body, id: ` ${n + OTHER}` } },
  ]);
  await land(dataDir, answers);
  const warehouse = await openTestWarehouse(dataDir);
  await loadLanding(warehouse, new Data(dataDir));
  const { db } = warehouse;
  // The first pass read most of the records without a space before the id.
  const odd = await db.count('SELECT count(*) FROM odd_rows');
  expect(odd - RECORDS).toBeLessThan(RECORDS / 2);
  const rows = async (from: number): Promise<unknown[]> =>
    db.rows(
      `SELECT company_id - ${from} AS n, * EXCLUDE (company_id, body_hash) FROM ledger.${table}
       WHERE company_id BETWEEN ${from} AND ${from + RECORDS} ORDER BY n`,
    );
  const inFirst = await rows(0);
  expect(inFirst).toHaveLength(RECORDS);
  expect(await rows(OTHER)).toEqual(inFirst);
});
