import { rmSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CURRENT_WATCH_FIELD, LEGACY_WATCH_FIELDS, WATCH_FIELDS } from '../../../../schemas/v2/watch-fields.js';
import { buildModels } from '../../../../src/warehouse/models/run-models.js';
import { loadLanding } from '../../../../src/warehouse/load/load.js';
import { writeEmptyWarehouse } from '../../../../src/warehouse/models/empty-warehouse.js';
import { openWarehouse, type Warehouse } from '../../../../src/warehouse/duckdb/open.js';
import { readModels } from '../../../../src/warehouse/models/models.js';
import { land, openTestWarehouse, temporaryDataDir, type Answer } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

const model = (await readModels()).filter((one) => one.model === 'core.watch_events');

/** What was received about one second of a company's field: items of each listing, values of each delivery. */
interface Second {
  company: number;
  listings: { items: string[]; hour: number }[];
  deliveries: { value: string; minute: number }[];
}

const value = fc.constantFrom('Ann', 'Ann Lee', 'Bo', 'an officer');
const second: fc.Arbitrary<Second> = fc.record({
  company: fc.integer({ min: 1, max: 3 }),
  listings: fc.array(
    fc.record({ items: fc.array(value, { minLength: 1, maxLength: 4 }), hour: fc.integer({ min: 11, max: 20 }) }),
    { maxLength: 3 },
  ),
  deliveries: fc.array(fc.record({ value, minute: fc.integer({ min: 1, max: 59 }) }), { maxLength: 5 }),
});

const two = (n: number): string => String(n).padStart(2, '0');

function answersOf({ company, listings, deliveries }: Second, n: number): Answer[] {
  const at = `2026-11-${two(n + 1)}T10:00:00`;
  return [
    ...listings.map(({ items, hour }, i): Answer => ({
      stream: 'watch_events',
      run: `poll-${n}-${i}`,
      entity: String(company),
      at: `2026-11-${two(n + 1)}T${hour}:00:00Z`,
      body: {
        data: items.map((item) => ({
          event_type: 'officer.appointment',
          status: 'ADDED',
          date_created: `${at}Z`,
          message: `<b>${item}</b> was appointed`,
        })),
      },
    })),
    ...deliveries.map(({ value: name, minute }): Answer => ({
      stream: 'watch_events',
      run: 'webhook',
      request: 'WEBHOOK /delivery',
      at: `2026-11-${two(n + 1)}T10:${two(minute)}:00Z`,
      body: {
        company_data: { id: company, date: `${at}.000Z` },
        field: 'officer.appointment',
        status: 'UPDATE',
        new_value: name,
      },
    })),
  ];
}

/** Expected number of events: the different deliveries or the listed items, whichever are more. */
function eventsOf({ listings, deliveries }: Second): number {
  const different = new Set(deliveries.map((one) => one.value)).size;
  const listed = new Map<string, number>();
  for (const { items } of listings) {
    for (const item of new Set(items)) {
      const times = items.filter((other) => other === item).length;
      listed.set(item, Math.max(listed.get(item) ?? 0, times));
    }
  }
  return Math.max(
    different,
    [...listed.values()].reduce((sum, times) => sum + times, 0),
  );
}

async function tableAfter(steps: Answer[][]): Promise<Record<string, unknown>[]> {
  const dataDir = temporaryDataDir();
  await writeEmptyWarehouse(dataDir);
  const warehouse = await openWarehouse(new Data(dataDir));
  try {
    for (const step of steps) {
      await land(dataDir, step);
      await loadLanding(warehouse, new Data(dataDir));
      await buildModels(warehouse, { models: model, personalData: true });
    }
    return await readEvents(warehouse);
  } finally {
    await warehouse.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function readEvents({ db }: Warehouse): Promise<Record<string, unknown>[]> {
  return db.rows('SELECT * FROM core.watch_events ORDER BY event_id');
}

describe('core.watch_events', () => {
  test('counts watch events correctly and equally in any loading order', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(second, { minLength: 4, maxLength: 12 }),
        fc.infiniteStream(fc.nat()),
        async (seconds, random) => {
          const answers = seconds.flatMap(answersOf);
          const next = (below: number): number => (random.next().value as number) % below;
          const steps: Answer[][] = [[], [], []];
          for (const answer of answers) {
            const step = steps[next(3)] ?? [];
            step.splice(next(step.length + 1), 0, answer);
          }
          const atOnce = await tableAfter([answers]);
          expect(await tableAfter(steps)).toEqual(atOnce);
          const wanted = seconds.flatMap((one, n) => {
            const events = eventsOf(one);
            return events === 0 ? [] : [[`2026-11-${two(n + 1)}`, events]];
          });
          const counts = new Map<string, number>();
          for (const { occurred_at } of atOnce) {
            const day = String(occurred_at).slice(0, 10);
            counts.set(day, (counts.get(day) ?? 0) + 1);
          }
          expect(Object.fromEntries(counts)).toEqual(Object.fromEntries(wanted));
          // A delivery named by a message must be paired with it.
          for (const row of atOnce.filter(({ received_via }) => received_via === 'both')) {
            const unmatched = atOnce.filter(
              (other) =>
                other['received_via'] !== 'both' &&
                other['company_id'] === row['company_id'] &&
                other['occurred_at'] === row['occurred_at'] &&
                other['message_text'] === `${String(row['new_value'])} was appointed`,
            );
            if (row['message_text'] !== `${String(row['new_value'])} was appointed`) expect(unmatched).toEqual([]);
          }
        },
      ),
      { numRuns: 12 },
    );
  });

  test('keeps event ids when later answers add events of the same second', async () => {
    const delivery = (name: string, minute: number): Answer[] =>
      answersOf({ company: 1, listings: [], deliveries: [{ value: name, minute }] }, 0);
    const listing = answersOf({ company: 1, listings: [{ items: ['Bo', 'Ann'], hour: 12 }], deliveries: [] }, 0);
    const dataDir = temporaryDataDir();
    const warehouse = await openTestWarehouse(dataDir);
    const seen: unknown[][] = [];
    for (const step of [delivery('Bo', 1), delivery('Ann', 2), delivery('Bo', 3), listing, delivery('Cy', 30)]) {
      await land(dataDir, step);
      await loadLanding(warehouse, new Data(dataDir));
      await buildModels(warehouse, { models: model, personalData: true });
      seen.push((await readEvents(warehouse)).map((row) => [row['event_id'], row['new_value'], row['received_via']]));
    }
    const id = '1/officer.appointment/2026-11-01T10:00:00Z';
    expect(seen).toEqual([
      [[id, 'Bo', 'webhook']],
      [
        [id, 'Bo', 'webhook'],
        [`${id}/2`, 'Ann', 'webhook'],
      ],
      [
        [id, 'Bo', 'webhook'],
        [`${id}/2`, 'Ann', 'webhook'],
      ],
      [
        [id, 'Bo', 'both'],
        [`${id}/2`, 'Ann', 'both'],
      ],
      [
        [id, 'Bo', 'both'],
        [`${id}/2`, 'Ann', 'both'],
        [`${id}/3`, 'Cy', 'webhook'],
      ],
    ]);
  });

  test.each([
    [90, [{ letters: '180' }], []],
    // Beyond the bounds of all JSON.
    [100_000, [], [{ reason: 'too_deep' }]],
  ])('stores an event value of depth %i, or rejects its delivery', async (depth, stored, rejected) => {
    const dataDir = temporaryDataDir();
    const body = `{"company_data":{"id":1,"date":"2026-11-01T10:00:00Z"},"field":"company.bank","new_value":${'['.repeat(depth)}${']'.repeat(depth)}}`;
    await land(dataDir, [{ stream: 'watch_events', run: 'webhook', request: 'WEBHOOK /delivery', body }]);
    const warehouse = await openTestWarehouse(dataDir);
    await loadLanding(warehouse, new Data(dataDir));
    await buildModels(warehouse, { models: model, personalData: true });
    expect(await warehouse.db.rows('SELECT len(new_value) AS letters FROM core.watch_events')).toEqual(stored);
    expect(await warehouse.db.rows('SELECT reason FROM ledger.rejects')).toEqual(rejected);
  });

  test('maps earlier field names in SQL like schemas/v2/watch-fields.ts', async () => {
    const warehouse = await openTestWarehouse(temporaryDataDir());
    const names = [...WATCH_FIELDS, ...LEGACY_WATCH_FIELDS];
    const rows = await warehouse.db.rows<{ said: string; field: string }>(
      `SELECT said, watch_field(said) AS field FROM (SELECT unnest(from_json(CAST($names AS JSON), '["VARCHAR"]')) AS said)`,
      { names: JSON.stringify(names) },
    );
    expect(new Map(rows.map(({ said, field }) => [said, field]))).toEqual(
      new Map(names.map((name) => [name, (CURRENT_WATCH_FIELD as Record<string, string>)[name] ?? name])),
    );
  });
});
