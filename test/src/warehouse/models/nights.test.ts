import { describe, expect, test } from 'vitest';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { describeUnloaded } from '../../../../src/warehouse/models/describe-unloaded.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import {
  buildFrom,
  land,
  marketNight,
  openTestWarehouse,
  temporaryDataDir,
  type Answer,
} from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

const daily = 'SELECT date, companies, active, entered, "left", changed FROM marts.market_daily ORDER BY date';

describe('market nights', () => {
  test('reports entered and left companies if both nights are complete', async () => {
    const warehouse = await buildFrom([
      ...marketNight({ run: 'n1', date: '2026-11-20', ids: [1, 2, 3] }),
      ...marketNight({ run: 'n2', date: '2026-11-21', ids: [2, 3, 4, 5] }),
      { stream: 'companies', entity: '2', at: '2026-11-20T02:30:00Z', body: { id: 2, status: 'Active' } },
      { stream: 'companies', entity: '3', at: '2026-11-20T02:30:00Z', body: { id: 3, status: 'Active' } },
      { stream: 'companies', entity: '2', at: '2026-11-21T02:30:00Z', body: { id: 2, status: 'Inactive' } },
      { stream: 'companies', entity: '4', at: '2026-11-21T02:30:00Z', body: { id: 4, status: 'Active' } },
    ]);
    expect(await warehouse.db.rows(daily)).toEqual([
      { date: '2026-11-20', companies: '3', active: '2', entered: null, left: null, changed: null },
      { date: '2026-11-21', companies: '4', active: '2', entered: '2', left: '1', changed: '1' },
    ]);
    expect(
      await warehouse.db.rows(
        `SELECT kind, company_id, market, changed_at FROM marts.changes WHERE kind IN ('entered', 'left') ORDER BY ALL`,
      ),
    ).toEqual([
      { kind: 'entered', company_id: '4', market: 'm', changed_at: '2026-11-21 03:00:00+00' },
      { kind: 'entered', company_id: '5', market: 'm', changed_at: '2026-11-21 03:00:00+00' },
      { kind: 'left', company_id: '1', market: 'm', changed_at: '2026-11-21 03:00:00+00' },
    ]);
  });

  test('completes a night only once all counted companies are loaded', async () => {
    const dataDir = temporaryDataDir();
    const night = marketNight({ run: 'n1', date: '2026-11-20', ids: [1, 2, 3] });
    await land(
      dataDir,
      night.filter(({ stream }) => stream !== 'prospecting'),
    );
    const warehouse = await openTestWarehouse(dataDir);
    const build = async (): Promise<unknown[]> => {
      await loadLanding(warehouse, new Data(dataDir));
      await buildModels(warehouse);
      return warehouse.db
        .rows(`SELECT c.distinct_companies, c.missing, c.share, c.counted_companies, c.loaded_companies,
        len(CAST(c.why AS JSON[])) AS gaps, r.outcome FROM ops.coverage AS c JOIN ops.runs AS r ON r.run_id = c.run`);
    };
    const counted = { counted_companies: '3' };
    expect(await build()).toEqual([
      {
        ...counted,
        distinct_companies: '0',
        missing: '3',
        share: 0,
        loaded_companies: '0',
        gaps: '1',
        outcome: 'partial',
      },
    ]);
    expect(await describeUnloaded(warehouse.db, 'n1')).toEqual({
      coverage: { distinctCompanies: 0, missing: 3, share: 0 },
      reason: expect.stringMatching(/counted 3 companies, but the warehouse holds 0 of this run/) as string,
      counted: 3,
      loaded: 0,
    });
    const [page] = night.filter(({ stream }) => stream === 'prospecting');
    const data = [{ id: 1 }, { id: '0002' }, { id: 'c-3' }];
    await land(dataDir, [{ ...page!, at: '2026-11-20T02:10:00.000Z', body: { total_companies: 3, data } }]);
    expect(await build()).toMatchObject([
      { distinct_companies: '2', missing: '1', loaded_companies: '2', outcome: 'partial' },
    ]);
    await land(dataDir, [
      { ...page!, at: '2026-11-20T02:11:00.000Z', body: { total_companies: 3, data: [{ id: 3 }] } },
    ]);
    expect(await build()).toEqual([
      {
        ...counted,
        distinct_companies: '3',
        missing: '0',
        share: 1,
        loaded_companies: '3',
        gaps: '0',
        outcome: 'complete',
      },
    ]);
    expect(await describeUnloaded(warehouse.db, 'n1')).toBeNull();
  });

  test('reports companies that an incomplete night did not find as left on the next complete night', async () => {
    const warehouse = await buildFrom([
      ...marketNight({ run: 'n1', date: '2026-11-20', ids: [1, 2] }),
      ...marketNight({ run: 'n2', date: '2026-11-21', ids: [2, 3], missing: 1 }),
      ...marketNight({ run: 'n3', date: '2026-11-22', ids: [3, 4] }),
    ]);
    expect(await warehouse.db.rows(daily)).toMatchObject([
      { entered: null, left: null },
      { entered: '1', left: null },
      { entered: '1', left: '2' },
    ]);
    const moves = `SELECT CAST(date AS VARCHAR) AS date, kind, company_id FROM marts.market_moves ORDER BY ALL`;
    expect(await warehouse.db.rows(moves)).toEqual([
      { date: '2026-11-21', kind: 'entered', company_id: '3' },
      { date: '2026-11-22', kind: 'entered', company_id: '4' },
      { date: '2026-11-22', kind: 'left', company_id: '1' },
      { date: '2026-11-22', kind: 'left', company_id: '2' },
    ]);
  });

  test('ignores failed and cancelled runs, however late they ended', async () => {
    const failed = marketNight({ run: 'n1b', date: '2026-11-20', ids: [7] }).map((answer) =>
      answer.stream === 'runs'
        ? {
            ...answer,
            body: { ...(answer.body as object), finished_at: '2026-11-20T09:00:00Z', outcome: 'failed', crawled: null },
          }
        : answer,
    );
    const warehouse = await buildFrom([...marketNight({ run: 'n1', date: '2026-11-20', ids: [1] }), ...failed]);
    expect(await warehouse.db.rows('SELECT company_id FROM marts.market_members')).toEqual([{ company_id: '1' }]);
  });

  test('ignores a held-back run in market tables and files its reason', async () => {
    const warehouse = await buildFrom([
      ...marketNight({ run: 'n1', date: '2026-11-20', ids: [1, 2, 3] }),
      ...marketNight({ run: 'half', date: '2026-11-21', ids: [1], missing: 2, heldBack: 'Held back: a third' }),
      ...marketNight({ run: 'n3', date: '2026-11-22', ids: [1, 2, 4] }),
      ...marketNight({ run: 'first', date: '2026-11-22', ids: [9], market: 'k', heldBack: 'Held back: the first' }),
    ]);
    expect(await warehouse.db.rows('SELECT market, date, run, previous_date FROM ops.nights ORDER BY date')).toEqual([
      { market: 'm', date: '2026-11-20', run: 'n1', previous_date: null },
      { market: 'm', date: '2026-11-22', run: 'n3', previous_date: '2026-11-20' },
    ]);
    expect(await warehouse.db.rows(daily)).toMatchObject([
      { date: '2026-11-20', companies: '3' },
      { date: '2026-11-22', companies: '3', entered: '1', left: '1' },
    ]);
    expect(
      await warehouse.db.rows('SELECT run_id, held_back FROM ops.runs WHERE held_back IS NOT NULL ORDER BY 1'),
    ).toEqual([
      { run_id: 'first', held_back: 'Held back: the first' },
      { run_id: 'half', held_back: 'Held back: a third' },
    ]);
    expect(await warehouse.db.rows(`SELECT missing FROM ops.coverage WHERE run = 'half'`)).toEqual([{ missing: '2' }]);
  });

  test('says how good each night is: held back, repeated, failed, unproven', async () => {
    const again = (run: string, at: string, more: object): Answer[] =>
      marketNight({ run, date: '2026-11-21', ids: [7] }).map((answer) =>
        answer.stream === 'runs'
          ? { ...answer, body: { ...(answer.body as object), ...more, started_at: at } }
          : answer,
      );
    const held = { outcome: 'partial', held_back: 'Held.', why: [{ code: 'held_back', values: {}, reason: 'Held.' }] };
    const warehouse = await buildFrom([
      ...marketNight({ run: 'n1', date: '2026-11-20', ids: [1, 2, 3], missing: 1 }),
      ...marketNight({ run: 'n2', date: '2026-11-21', ids: [1, 2, 3] }),
      ...again('n3', '2026-11-21T05:00:00Z', held),
      ...marketNight({ run: 'none', date: '2026-11-21', ids: [], market: 'empty' }),
    ]);
    const quality = `SELECT market, date, run, outcome, companies_found AS found, companies_missing AS missing, is_held_back, is_current,
      is_last, why FROM ops.night_quality ORDER BY market DESC, date`;
    expect(await warehouse.db.rows(quality)).toEqual([
      {
        market: 'm',
        date: '2026-11-20',
        run: 'n1',
        outcome: 'partial',
        found: '3',
        missing: '1',
        is_held_back: false,
        is_current: true,
        is_last: false,
        why: 'The search is not proven to be complete, so companies may be missing.',
      },
      {
        market: 'm',
        date: '2026-11-21',
        run: 'n3',
        outcome: 'partial',
        found: '1',
        missing: '0',
        is_held_back: true,
        is_current: false,
        is_last: true,
        why: 'Held.',
      },
      {
        market: 'empty',
        date: '2026-11-21',
        run: 'none',
        outcome: 'complete',
        found: '0',
        missing: '0',
        is_held_back: false,
        is_current: true,
        is_last: true,
        why: null,
      },
    ]);
  });

  test('completes a night after its failed reports were fetched, in any order of loading', async () => {
    const night = marketNight({ run: 'n1', date: '2026-11-20', ids: [1, 2] }).map((answer) =>
      answer.stream === 'runs'
        ? {
            ...answer,
            body: {
              ...(answer.body as object),
              outcome: 'partial',
              why: [{ code: 'records_failed', values: { stream: 'financials', records: 2 }, reason: 'x' }],
            },
          }
        : answer,
    );
    const report = (run: string, company: string, at: string, status = 200): Answer => ({
      stream: 'financials',
      run,
      date: '2026-11-20',
      market: 'm',
      entity: company,
      at,
      status,
      body: status === 200 ? { 2024: { Turnover: 1 } } : { detail: 'down' },
    });
    const due: Answer = {
      stream: 'due',
      run: 'n1',
      date: '2026-11-20',
      market: 'm',
      entity: 'financials',
      body: {
        stream: 'financials',
        reason: 'new',
        entities: 2,
      },
    };
    const failed = [1, 2].map((id) => report('n1', String(id), '2026-11-20T02:30:00.000Z', 500));
    const retried = report('retry', '1', '2026-11-20T09:00:00.000Z');
    const quality = 'SELECT outcome, run_outcome, records_missing, rejects, why FROM ops.night_quality';
    const before = await buildFrom([...night, due, ...failed]);
    expect(await before.db.rows(quality)).toEqual([
      {
        outcome: 'partial',
        run_outcome: 'partial',
        records_missing: '{"financials":2}',
        rejects: '2',
        why: '2 reports could not be fetched; `tidemark rejects` lists them.',
      },
    ]);
    const half = await buildFrom([retried, ...night, due, ...failed]);
    expect(await half.db.rows(quality)).toMatchObject([
      { outcome: 'partial', rejects: '1', why: '1 report could not be fetched; `tidemark rejects` lists it.' },
    ]);
    const mended = await buildFrom([
      ...failed,
      retried,
      report('retry', '2', '2026-11-20T09:00:00.000Z'),
      due,
      ...night,
    ]);
    expect(await mended.db.rows(quality)).toEqual([
      { outcome: 'complete', run_outcome: 'partial', records_missing: null, rejects: '0', why: null },
    ]);
  });

  test('keeps the first run of a date whose second was held back', async () => {
    const warehouse = await buildFrom([
      ...marketNight({ run: 'n1', date: '2026-11-20', ids: [1, 2, 3] }),
      ...marketNight({ run: 'n1b', date: '2026-11-20', ids: [1], missing: 2, heldBack: 'Held back' }),
    ]);
    expect(await warehouse.db.rows('SELECT run FROM ops.nights')).toEqual([{ run: 'n1' }]);
  });

  test('uses the latest finished run of a date', async () => {
    const again = marketNight({ run: 'n1b', date: '2026-11-20', ids: [7] }).map((answer) =>
      answer.stream === 'runs'
        ? { ...answer, body: { ...(answer.body as object), finished_at: '2026-11-20T09:00:00Z' } }
        : answer,
    );
    const warehouse = await buildFrom([
      ...marketNight({ run: 'n1', date: '2026-11-20', ids: [1, 2] }),
      ...again,
      ...marketNight({ run: 'open', date: '2026-11-21', ids: [1], finished: false }),
      ...marketNight({ run: 'past', date: '2026-11-01', ids: [1], asOfNow: false }),
      ...marketNight({ run: 'other', date: '2026-11-20', ids: [9], market: 'k' }),
    ]);
    expect(await warehouse.db.rows('FROM marts.market_members ORDER BY ALL')).toEqual([
      { market: 'k', date: '2026-11-20', company_id: '9' },
      { market: 'm', date: '2026-11-20', company_id: '7' },
    ]);
  });
});
