import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { openPublished } from '../../../../src/warehouse/builds/published.js';
import { runCli } from '../../../helpers/run-cli.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { publish } from '../../../../src/warehouse/publish/publish.js';
import { land, marketNight, openTestWarehouse, prepareOnce, temporaryDataDir } from '../../../helpers/warehouse.js';
import { LAST, membersOf, NIGHTS, publishWorld, worldOf } from '../../../helpers/world-warehouse.js';
import { Data } from '../../../../src/store/data.js';

const prepared = prepareOnce(publishWorld);
const world = worldOf();
const [FIRST, SECOND, THIRD] = NIGHTS.map((day) => world.dateOf(day));

interface Row {
  kind: string;
  company_id: string;
  field: string | null;
  fiscal_year: number | null;
  old_value: string | null;
  new_value: string | null;
}

let dataDir: string;
const diff = async (...args: string[]) => {
  writeFileSync(path.join(dataDir, 'tidemark.yaml'), 'api: { baseUrl: "http://127.0.0.1:1" }\ndata: .\n');
  return runCli(['diff', ...args], { cwd: dataDir });
};
const rowsOf = async (...args: string[]): Promise<Row[]> => {
  const { stdout, stderr } = await diff(...args, '--json');
  expect(stderr).toBe('');
  return (JSON.parse(stdout) as { rows: Row[] }).rows;
};
const idsOf = (rows: Row[], kind: string) =>
  rows.filter((row) => row.kind === kind).map(({ company_id: id }) => Number(id));

describe('tidemark diff', () => {
  test('lists companies that entered and left as the market does', async () => {
    dataDir = prepared();
    for (const [from, to] of [
      [1, 60],
      [1, LAST],
      [60, LAST],
    ] as const) {
      const rows = await rowsOf(world.dateOf(from), world.dateOf(to));
      const [before, after] = [membersOf(world, from), membersOf(world, to)];
      expect(idsOf(rows, 'entered')).toEqual(after.filter((id) => !before.includes(id)));
      expect(idsOf(rows, 'left')).toEqual(before.filter((id) => !after.includes(id)));
    }
  });

  test('lists restated figures with the value of each night', async () => {
    dataDir = prepared();
    const rows = (await rowsOf(SECOND!, world.dateOf(LAST))).filter(({ kind }) => kind === 'restated');
    const expected = membersOf(world, LAST)
      .filter((id) => membersOf(world, 1).includes(id))
      .flatMap((id) => {
        const [before, after] = [world.financialReport(id, 1), world.financialReport(id, LAST)];
        // The details of a company that just left answer 404.
        if (before === undefined || after === undefined) return [];
        return Object.entries(before).flatMap(([year, values]) =>
          Object.entries(values)
            .map(([field, value]) => ({ id, year: Number(year), field, old: value, new: after[year]?.[field] }))
            .filter((change) => change.old !== undefined && String(change.old) !== String(change.new)),
        );
      });
    expect(expected.length).toBeGreaterThan(20);
    const keyOf = (...parts: unknown[]) => JSON.stringify(parts.map(String));
    const told = new Map(rows.map((row) => [keyOf(row.company_id, row.fiscal_year, row.field), row]));
    for (const { id, year, field, old, new: now } of expected) {
      const row = told.get(keyOf(id, year, field));
      expect([Number(row?.old_value), Number(row?.new_value)]).toEqual([Number(old), Number(now)]);
    }
  });

  test('leaves out what changed and changed back, and who left and returned', async () => {
    dataDir = temporaryDataDir();
    const nights = ['2026-11-18', '2026-11-19', '2026-11-20'];
    const warehouse = await openTestWarehouse(dataDir);
    for (const [i, date] of nights.entries()) {
      const [ids, name] = i === 1 ? [[1], 'B'] : [[1, 2], 'A'];
      const at = `${date}T02:30:00Z`;
      const record = { stream: 'companies' as const, entity: '1', at, date, run: date, body: { id: 1, name } };
      await land(dataDir, [...marketNight({ run: date, date, ids }), record]);
    }
    await loadLanding(warehouse, new Data(dataDir));
    await buildModels(warehouse);
    await publish(warehouse, dataDir, { run: 'r', now: new Date('2026-11-21T00:00:00Z') });
    expect(await rowsOf(nights[0]!, nights[1]!)).toMatchObject([
      { kind: 'left', company_id: 2 },
      { kind: 'changed', company_id: 1, field: 'name', old_value: 'A', new_value: 'B' },
    ]);
    expect(await rowsOf(nights[0]!, nights[2]!)).toEqual([]);
    expect(await rowsOf(nights[1]!, nights[1]!)).toEqual([]);
  });

  test('prints a summary and a table for each kind', async () => {
    dataDir = prepared();
    const { stdout, stderr, code } = await diff(SECOND!, THIRD!, '--limit', '2');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^m: 2026-08-02 to 2026-09-30\n {2}entered +\d+\n {2}left +\d+ \(\d+ \w+.*\)\n {2}changed +\d+\n/,
    );
    expect(stdout).toMatch(/\nleft\ncompany_id +name +country_code +reason\n/);
    expect(stderr).toMatch(/\(the first 2 of \d+; --limit shows more, --out writes all\)/);
  });

  test('writes all rows to a file', async () => {
    dataDir = prepared();
    const out = path.join(dataDir, 'diff.csv');
    expect((await diff(SECOND!, THIRD!, '--out', out)).code).toBe(0);
    const rows = await rowsOf(SECOND!, THIRD!);
    expect(readFileSync(out, 'utf8')).toMatch(/^market,kind,company_id,name,country_code,reason,field,/);
    const parquet = path.join(dataDir, 'diff.parquet');
    expect((await diff(SECOND!, THIRD!, '--out', parquet)).code).toBe(0);
    const published = await openPublished(dataDir);
    expect(await published.objects(`SELECT count(*)::INTEGER AS n FROM '${parquet}'`)).toEqual([{ n: rows.length }]);
    published.close();
  });

  test('says when the data begins for a night before the first one', async () => {
    dataDir = prepared();
    const { code, stderr } = await diff('2026-07-01', FIRST!);
    expect(code).toBe(2);
    expect(stderr).toContain('Market m has no night 2026-07-01: its data begins on 2026-08-01 and ends on 2026-11-19.');
    expect((await diff(SECOND!, FIRST!)).stderr).toContain('2026-08-02 is after 2026-08-01.');
    expect((await diff(FIRST!, SECOND!, '--market', 'x')).stderr).toContain('There is no night of market x.');
  });
});
