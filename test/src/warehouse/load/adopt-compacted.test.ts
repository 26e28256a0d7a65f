import { beforeEach, describe, expect, test } from 'vitest';
import { LandingCorruptError } from '../../../../src/warehouse/duckdb/errors.js';
import type { Warehouse } from '../../../../src/warehouse/duckdb/open.js';
import type { LandedPart } from '../../../../src/landing/index.js';
import { adoptCompacted, readLoadedParts } from '../../../../src/warehouse/load/load.js';
import { openTestWarehouse, temporaryDataDir } from '../../../helpers/warehouse.js';

const hash = (letter: string): string => letter.repeat(64);

function landed(part: string, more: Partial<LandedPart> = {}): LandedPart {
  const place = { stream: 'companies', date: '2026-11-20', run: 'r1', part, file: `landing/${part}` } as const;
  return { ...place, market: 'm', chunk: part, rows: 2, bytes: 9, sha256: hash(part), ...more } as LandedPart;
}

const joined = landed('j', { rows: 4, replaces: ['a', 'b'].map((part) => ({ part, sha256: hash(part) })) });

let warehouse: Warehouse;
beforeEach(async () => {
  warehouse = await openTestWarehouse(temporaryDataDir());
});

/** Records parts as loaded, each with its number of rejects. */
async function record(parts: Record<string, number>, run = 'r1'): Promise<void> {
  for (const [part, rejects] of Object.entries(parts))
    await warehouse.db.run(
      `INSERT INTO ledger.loaded_parts BY NAME SELECT 'companies' AS stream, DATE '2026-11-20' AS date, $run AS run, $part AS part,
         $hash AS sha256, 2 AS rows, CAST($rejects AS BIGINT) AS rejects`,
      { run, part, rejects, hash: hash(part) },
    );
}

const recorded = () => warehouse.db.rows('SELECT run, part, rows, rejects FROM ledger.loaded_parts ORDER BY run, part');

describe('adoptCompacted', () => {
  test('records a joined part in place of its loaded parts, with their rejects', async () => {
    await record({ a: 1, b: 2, c: 4 });
    await record({ a: 8 }, 'r2');
    for (const _ of [1, 2]) await adoptCompacted(warehouse.db, [joined, landed('c')]);
    expect(await recorded()).toEqual([
      { run: 'r1', part: 'c', rows: '2', rejects: '4' },
      { run: 'r1', part: 'j', rows: '4', rejects: '3' },
      { run: 'r2', part: 'a', rows: '2', rejects: '8' },
    ]);
    expect((await readLoadedParts(warehouse.db)).get('companies/2026-11-20/r1/j')).toBe(hash('j'));
  });

  test('does not adopt a joined part unless its own parts were loaded', async () => {
    await record({ c: 4 });
    const other = { ...joined, replaces: ['a', 'b'].map((part) => ({ part, sha256: hash('x') })) };
    await adoptCompacted(warehouse.db, [joined]);
    await record({ a: 1, b: 2 });
    await adoptCompacted(warehouse.db, [other]);
    expect((await recorded()).map(({ part }) => part)).toEqual(['a', 'b', 'c']);
  });

  test('refuses a joined part loaded only in part and adopts others', async () => {
    await record({ a: 1, c: 4 });
    const sound = landed('k', { replaces: [{ part: 'c', sha256: hash('c') }] });
    const error: unknown = await adoptCompacted(warehouse.db, [joined, sound]).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(LandingCorruptError);
    expect(error).toMatchObject({
      faults: ['landing/j replaces several parts, and the warehouse has loaded only some of them'],
      loaded: { parts: 0, rows: 0, rejects: 0 },
      todo: 'Run `tidemark replay`: it builds the warehouse again.',
    });
    expect((await recorded()).map(({ part }) => part)).toEqual(['a', 'k']);
  });
});
