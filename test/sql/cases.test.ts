import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { buildFrom, type Answer } from '../src/warehouse/helpers.js';

interface Case {
  name: string;
  given: Answer[];
  /** Query to rows; BIGINT, DATE and TIMESTAMPTZ are text. */
  expect: { query: string; rows: Record<string, unknown>[] }[];
}

const folder = path.join(import.meta.dirname, 'cases');

// Adding a case is adding it to a file of cases/; adding a file needs nothing here.
for (const file of readdirSync(folder).filter((name) => name.endsWith('.yaml'))) {
  const cases = parse(readFileSync(path.join(folder, file), 'utf8')) as Case[];
  describe(`sql: ${file}`, () => {
    test.each(cases)('$name', async ({ given, expect: expected }) => {
      const warehouse = await buildFrom(given);
      for (const { query, rows } of expected) {
        expect({ query, rows: await warehouse.db.rows(query) }).toEqual({ query, rows });
      }
    });
  });
}
