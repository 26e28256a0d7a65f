import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Database } from '../../../../src/warehouse/duckdb/database.js';
import { withMemory } from '../../../../src/warehouse/duckdb/in-memory.js';
import { listAudits } from '../../../../src/warehouse/models/audit.js';
import { parseModel, type Model } from '../../../../src/warehouse/models/models.js';

const text = `/*
model: core.thing
kind: table
version: 1
grain: thing
key: [a, b]
nullable: [a, b]
description: Things.
columns:
  a: DOUBLE | First column
  b: VARCHAR | Second column
*/
SELECT 1`;
const model: Model = { ...parseModel({ name: 'core/thing.sql', text }), parents: [], fingerprint: '' };
const [keyIsUnique] = listAudits(model);

// Values that are equal but look different (0 and -0), and keys whose columns are equal or swapped.
const row = fc.tuple(
  fc.constantFrom('0', '-0.0', '1', "'NaN'", "'-Infinity'", 'NULL'),
  fc.constantFrom("'0'", "'1'", "''", "'NaN'", 'NULL'),
);

describe('the audit key_is_unique', () => {
  test.each(['hash(a, b)', 'a constant hash'])('finds exactly the repeated keys, with %s', async (hash) => {
    await withMemory('test', async (db) => {
      // With a constant hash, all hashes collide.
      if (hash === 'a constant hash') await db.run('CREATE TEMP MACRO hash(a, b) AS 1');
      await db.run('CREATE SCHEMA core');
      await fc.assert(
        fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 12 }), async (rows) => {
          const values = rows.map(([a, b]) => `(CAST(${a} AS DOUBLE), ${b})`).join(', ');
          await db.run(`CREATE OR REPLACE TABLE core.thing AS SELECT * FROM (VALUES ${values}) AS t (a, b)`);
          expect(await sorted(db, keyIsUnique?.sql ?? '')).toEqual(
            await sorted(db, 'SELECT a, b FROM core.thing GROUP BY a, b HAVING count(*) > 1'),
          );
        }),
        { numRuns: 40 },
      );
    });
  });
});

async function sorted(db: Database, sql: string): Promise<unknown[]> {
  return db.rows(`SELECT * FROM (${sql}) ORDER BY ALL`);
}
