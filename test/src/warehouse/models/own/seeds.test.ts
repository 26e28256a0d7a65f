import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withMemory } from '../../../../../src/warehouse/duckdb/in-memory.js';
import { createSeed, findWrongValues } from '../../../../../src/warehouse/models/own/seed-types.js';
import { parseSeeds } from '../../../../../src/warehouse/models/own/seeds.js';
import type { OwnObject } from '../../../../../src/warehouse/models/own/own-object.js';
import { selectUsed } from '../../../../../src/warehouse/models/own/uses.js';

const quoted = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;

function seedOf(csv: string, types?: string) {
  const yaml = types === undefined ? [] : [{ name: 'own/seeds/codes.yml', text: types }];
  const [seed] = parseSeeds([{ name: 'own/seeds/codes.csv', text: csv }, ...yaml]);
  return seed!;
}

test('reads back every cell that was written as quoted CSV', () => {
  const cell = fc.string().map((text) => text.replaceAll(/[\r\n\0\ufeff]/g, ' '));
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell), { maxLength: 5 }), (rows) => {
      const lines = [['first', 'second'], ...rows].map((cells) => cells.map(quoted).join(','));
      const seed = seedOf(`\ufeff${lines.join('\r\n')}\r\n`);
      expect([...seed.columns]).toEqual([
        ['first', 'VARCHAR'],
        ['second', 'VARCHAR'],
      ]);
      expect(seed.rows).toEqual(
        rows.map((cells, i) => ({ line: i + 2, cells: cells.map((text) => (text === '' ? null : text)) })),
      );
    }),
  );
});

test('keeps leading zeros of text, and reads other delimiters', async () => {
  const seed = seedOf('code;name;n\n007;A, B;1\n 08 ;;2\n', 'columns:\n  n: bigint\n');
  await withMemory('x', async (db) => {
    expect(await findWrongValues(db, seed)).toEqual([]);
    await createSeed(db, seed);
    expect(await db.rows('FROM seed_codes ORDER BY n')).toEqual([
      { code: '007', name: 'A, B', n: '1' },
      { code: '08', name: null, n: '2' },
    ]);
  });
});

test.each([
  ['BOOLEAN', ['true', 'FALSE'], ['yes', '1', 't', '']],
  ['INTEGER', ['0', '-7', '+7', '007', '2147483647'], ['2147483648', '1.0', '1e3', '1,000', 'x', '٣']],
  ['BIGINT', ['9007199254740993'], ['9223372036854775808', '0x10']],
  ['DOUBLE', ['1', '-1.5', '.5', '2.', '1e-3'], ['1,5', 'nan', 'inf', '1e999', '1_000', '$1']],
  ['DECIMAL(4,2)', ['1', '12.34', '-99.99'], ['1.239', '100', '1e1']],
  ['DATE', ['2026-11-30', '1999-01-01'], ['30.11.2026', '2026-02-30', '2026-11-30T00:00:00', '2026-1-1', 'infinity']],
  [
    'TIMESTAMP',
    ['2026-11-30T08:15:00', '2026-11-30 08:15:00.5'],
    ['2026-11-30', '2026-11-30T08:15:00Z', '2026-11-30T25:00:00'],
  ],
  ['TIMESTAMPTZ', ['2026-11-30T08:15:00Z', '2026-11-30 08:15:00+01:00'], ['2026-11-30T08:15:00', 'now']],
])('accepts only values of the type %s', async (type, right, wrong) => {
  const seed = (values: string[]) =>
    seedOf(['v,line', ...values.map((text, i) => `"${text}",${i}`)].join('\n'), `columns:\n  v: ${type}\n`);
  const filled = wrong.filter((value) => value !== '');
  await withMemory('x', async (db) => {
    await db.run(`SET TimeZone = 'UTC'`);
    expect(await findWrongValues(db, seed(right))).toEqual([]);
    await createSeed(db, seed(right));
    expect(await db.count('SELECT count(v) FROM seed_codes')).toBe(right.length);
    const faults = await findWrongValues(db, seed(filled));
    expect(faults).toHaveLength(filled.length);
    for (const [i, value] of filled.entries())
      expect(faults[i]).toContain(`line ${i + 2}: ${JSON.stringify(value)} in column v is not `);
  });
});

test('accepts a whole number exactly if it is in the range of its type', async () => {
  await withMemory('x', async (db) => {
    await fc.assert(
      fc.asyncProperty(fc.bigInt({ min: -(2n ** 66n), max: 2n ** 66n }), async (n) => {
        const faults = await findWrongValues(db, seedOf(`v,w\n${n},x\n`, 'columns:\n  v: BIGINT\n'));
        expect(faults.length === 0).toBe(n === BigInt.asIntN(64, n));
      }),
      { numRuns: 50 },
    );
  });
});

test('selects exactly the macros and seeds that names reach', () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const some = fc.subarray(names);
  fc.assert(
    fc.property(fc.array(some, { minLength: 5, maxLength: 5 }), some, (calls, start) => {
      const objects = names.map((name, i): OwnObject => ({
        kind: 'macro',
        name,
        file: '',
        path: '',
        sql: '',
        queries: [],
        names: new Set(calls[i]),
      }));
      const reached = new Set(start);
      for (const _ of names)
        for (const [i, name] of names.entries())
          if (reached.has(name)) for (const other of calls[i]!) reached.add(other);
      expect(selectUsed(new Set(start), objects).map(({ name }) => name)).toEqual(
        names.filter((name) => reached.has(name)),
      );
    }),
  );
});
