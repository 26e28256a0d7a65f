import fc from 'fast-check';
import { expect, it } from 'vitest';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { land, marketNight, openTestWarehouse, temporaryDataDir, type Answer } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

interface Run {
  /** Its date is one of four, so runs of one date repeat. */
  day: number;
  market: string;
  finished: boolean;
  ids: number[];
  /** Companies of a part that lands at another time. */
  lateIds: number[];
}

const ids = fc.uniqueArray(fc.integer({ min: 1, max: 9 }), { maxLength: 9 });
const run: fc.Arbitrary<Run> = fc.record({
  day: fc.nat(3),
  market: fc.constantFrom('m', 'm', 'other'),
  finished: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
  ids,
  lateIds: ids,
});
/** Runs, and an order in which their two parts land; up to three parts land before each load. */
const nights = fc.array(run, { minLength: 2, maxLength: 5 }).chain((runs) =>
  fc.record({
    runs: fc.constant(runs),
    order: fc.shuffledSubarray(
      runs.flatMap((_, n) => [2 * n, 2 * n + 1]),
      { minLength: 2 * runs.length },
    ),
    perLoad: fc.integer({ min: 1, max: 3 }),
  }),
);

function answersOf(runs: readonly Run[], place: number): Answer[] {
  const n = Math.floor(place / 2);
  const { day, market, finished, ids: first, lateIds } = runs[n]!;
  const all = marketNight({
    run: `r${n}`,
    date: `2026-11-2${day}`,
    market,
    finished,
    ids: place % 2 === 0 ? first : lateIds,
  });
  return place % 2 === 0 ? all : all.filter(({ stream }) => stream === 'prospecting');
}

it('tells exactly which runs found a company, in whatever order their parts land', async () => {
  await fc.assert(
    fc.asyncProperty(nights, async ({ runs, order, perLoad }) => {
      const dataDir = temporaryDataDir();
      const warehouse = await openTestWarehouse(dataDir);
      for (let at = 0; at < order.length; at += perLoad) {
        for (const place of order.slice(at, at + perLoad)) await land(dataDir, answersOf(runs, place));
        await loadLanding(warehouse, new Data(dataDir));
      }
      const expected = runs.flatMap(({ market, ids: first, lateIds }, n) =>
        [...new Set([...first, ...lateIds])].map((id) => `r${n} ${market} ${id}`),
      );
      const found = await warehouse.db.rows<{ text: string }>(
        `SELECT run || ' ' || market || ' ' || company_id AS text FROM ledger.market_sightings`,
      );
      expect(found.map(({ text }) => text).toSorted()).toEqual(expected.toSorted());
      expect(
        await warehouse.db.rows(`SELECT * FROM base.market_runs AS r WHERE companies <>
          (SELECT count(*) FROM ledger.market_sightings AS s WHERE s.run = r.run AND s.market = r.market)`),
      ).toEqual([]);
    }),
    { numRuns: 4, seed: 20_261_120 },
  );
});

it('adds no row for a company that stays in the market', async () => {
  const dataDir = temporaryDataDir();
  const warehouse = await openTestWarehouse(dataDir);
  for (const [n, found] of [
    [1, 2, 3],
    [1, 2, 3],
    [1, 3],
    [1, 3, 4],
  ].entries()) {
    await land(dataDir, marketNight({ run: `r${n}`, date: `2026-11-2${n}`, ids: found }));
    await loadLanding(warehouse, new Data(dataDir));
  }
  await buildModels(warehouse);
  const stays = 'SELECT company_id, from_no, to_no FROM base.market_stays ORDER BY ALL';
  expect(await warehouse.db.rows(stays)).toEqual([
    { company_id: '1', from_no: 1, to_no: 2147483647 },
    { company_id: '2', from_no: 1, to_no: 2 },
    { company_id: '3', from_no: 1, to_no: 2147483647 },
    { company_id: '4', from_no: 4, to_no: 2147483647 },
  ]);
  const members = `SELECT CAST(date AS VARCHAR) AS date, list(company_id ORDER BY company_id) AS ids FROM marts.market_members GROUP BY ALL ORDER BY 1`;
  expect(await warehouse.db.rows(members)).toEqual([
    { date: '2026-11-20', ids: ['1', '2', '3'] },
    { date: '2026-11-21', ids: ['1', '2', '3'] },
    { date: '2026-11-22', ids: ['1', '3'] },
    { date: '2026-11-23', ids: ['1', '3', '4'] },
  ]);
});
