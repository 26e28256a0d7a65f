import { describe, expect, it } from 'vitest';
import { advanceColumns, buildColumns } from '../../sandbox/world/columns.js';
import { createContext } from '../../sandbox/world/context.js';

const ctx = createContext({ companies: 1500, tenders: 0, seed: 5, date: '2026-11-20' });

describe('columns', () => {
  it.each([1, 7, 41, 60, 300])('advances columns by %d days to the same result as a new build', (days) => {
    for (const from of [0, 1, 12]) {
      const earlier = buildColumns(ctx, ctx.start + from);
      const built = buildColumns(ctx, ctx.start + from + days);
      const advanced = advanceColumns(ctx, earlier, ctx.start + from + days);
      // Compare listed companies only. For others, advancing keeps old values and building leaves them empty; no search
      // reads them.
      for (const [key, column] of Object.entries(built)) {
        const other = advanced[key as keyof typeof advanced];
        if (ArrayBuffer.isView(column)) expect(listedOf(built.listed, other)).toEqual(listedOf(built.listed, column));
      }
      expect(advanced.listed).toEqual(built.listed);
      expect(advanced.length).toBe(built.length);
    }
  });
});

function listedOf(listed: Uint8Array, column: unknown): number[] {
  return Array.from(column as Uint8Array).filter((_, index) => listed[index] === 1);
}
