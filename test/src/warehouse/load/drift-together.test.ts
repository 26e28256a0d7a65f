import { expect, test } from 'vitest';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { land, openTestWarehouse, temporaryDataDir, type Answer } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

const answerOf = (id: number, more: object, at: string): Answer => ({
  stream: 'companies',
  entity: String(id),
  body: { ...more, id, name: `C${id}` },
  run: `r${id}`,
  at,
});

test('finds the same drift whether runs are loaded together or separately', async () => {
  const together = temporaryDataDir();
  const warehouse = await openTestWarehouse(together);
  const declared = await warehouse.db.rows<{ name: string }>(
    `SELECT DISTINCT path[3:] AS name FROM seed_fields WHERE stream = 'companies' AND parent = '$' AND path <> '$.id'`,
  );
  const whole = Object.fromEntries(declared.map(({ name }) => [name, null]));
  const runs = [...Array(200).keys()].map((n) => {
    const at = new Date(Date.parse('2026-11-20T02:00:00Z') + n * 1_000).toISOString();
    return answerOf(n, { ...whole, mood: n, weather: 'fair' }, at);
  });
  expect(runs.length * (declared.length + 2)).toBeGreaterThan(5_000);
  await land(together, runs);
  await loadLanding(warehouse, new Data(together));

  const apart = temporaryDataDir();
  const other = await openTestWarehouse(apart);
  for (let n = 0; n < runs.length; n += 40) {
    await land(apart, runs.slice(n, n + 40));
    await loadLanding(other, new Data(apart));
  }
  for (const each of [warehouse, other]) await buildModels(each);
  const found = await warehouse.db.rows('FROM ops.drift ORDER BY ALL');
  expect(found).toEqual(await other.db.rows('FROM ops.drift ORDER BY ALL'));
  expect(found.map(({ path, kind }) => `${String(path)} ${String(kind)}`)).toEqual([
    '$.mood new field',
    '$.weather new field',
  ]);
});
