import { describe, expect, test } from 'vitest';
import { buildFrom, marketNight } from './helpers.js';

const daily = 'SELECT date, companies, active, entered, "left", changed FROM marts.market_daily ORDER BY date';

describe('market nights', () => {
  test('entered and left are told where both nights prove it', async () => {
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

  test('members that a run did not ask for are there with the night that found them, once', async () => {
    const carried = { seen_on: '2026-11-20', company_ids: [1, 2] };
    const warehouse = await buildFrom([
      ...marketNight({ run: 'n1', date: '2026-11-20', ids: [1, 2, 3] }),
      ...marketNight({ run: 'n2', date: '2026-11-21', ids: [2, 3, 4] }),
      { stream: 'carried', run: 'n2', date: '2026-11-21', market: 'm', entity: '2026-11-20', body: carried },
    ]);
    expect(
      await warehouse.db.rows(
        `SELECT company_id, seen_on FROM marts.market_members WHERE date = DATE '2026-11-21' ORDER BY company_id`,
      ),
    ).toEqual([
      { company_id: '1', seen_on: '2026-11-20' },
      { company_id: '2', seen_on: '2026-11-21' },
      { company_id: '3', seen_on: '2026-11-21' },
      { company_id: '4', seen_on: '2026-11-21' },
    ]);
    expect(await warehouse.db.rows(daily)).toMatchObject([{}, { companies: '4', entered: '1', left: '0' }]);
  });

  test('nothing is said to have left an incomplete night, nor to have entered after one', async () => {
    const warehouse = await buildFrom([
      ...marketNight({ run: 'n1', date: '2026-11-20', ids: [1, 2] }),
      ...marketNight({ run: 'n2', date: '2026-11-21', ids: [2, 3], missing: 1 }),
      ...marketNight({ run: 'n3', date: '2026-11-22', ids: [3, 4] }),
    ]);
    expect(await warehouse.db.rows(daily)).toMatchObject([
      { entered: null, left: null },
      { entered: '1', left: null },
      { entered: null, left: '1' },
    ]);
  });

  test('a run that failed or was cancelled stands for nothing, however late it ended', async () => {
    const failed = marketNight({ run: 'n1b', date: '2026-11-20', ids: [7] }).map((answer) =>
      answer.stream === 'runs'
        ? {
            ...answer,
            body: { ...(answer.body as object), finished_at: '2026-11-20T09:00:00Z', outcome: 'failed' },
          }
        : answer,
    );
    const warehouse = await buildFrom([...marketNight({ run: 'n1', date: '2026-11-20', ids: [1] }), ...failed]);
    expect(await warehouse.db.rows('SELECT company_id FROM marts.market_members')).toEqual([{ company_id: '1' }]);
  });

  test('a run that was held back changes nothing of its market, and is filed with its reason', async () => {
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

  test('a date whose second run was held back keeps its first', async () => {
    const warehouse = await buildFrom([
      ...marketNight({ run: 'n1', date: '2026-11-20', ids: [1, 2, 3] }),
      ...marketNight({ run: 'n1b', date: '2026-11-20', ids: [1], missing: 2, heldBack: 'Held back' }),
    ]);
    expect(await warehouse.db.rows('SELECT run FROM ops.nights')).toEqual([{ run: 'n1' }]);
  });

  test('the latest finished run stands for its date; unfinished and past-dated ones never do', async () => {
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
      { market: 'k', date: '2026-11-20', company_id: '9', seen_on: '2026-11-20' },
      { market: 'm', date: '2026-11-20', company_id: '7', seen_on: '2026-11-20' },
    ]);
  });
});
