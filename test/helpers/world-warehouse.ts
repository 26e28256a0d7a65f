import path from 'node:path';
import { writeFileSync } from 'node:fs';
import { deliveryOf, listedEvent } from '../../sandbox/state/watch-events.js';
import type { CompanyEvent } from '../../sandbox/world/index.js';
import { createWorld, type World } from '../../sandbox/world/index.js';
import { USD_PER } from '../../sandbox/world/data/market-countries.js';
import { ownershipOf } from '../../sandbox/world/ownership.js';
import { indexOf } from '../../sandbox/world/membership.js';
import { TRUTH_TABLES } from '../../sandbox/world/truth.js';
import type { RatesSource } from '../../src/config/rates-source.js';
import { writeEmptyWarehouse } from '../../src/warehouse/models/empty-warehouse.js';
import { openWarehouse } from '../../src/warehouse/duckdb/open.js';
import { loadLanding } from '../../src/warehouse/load/load.js';
import { buildModels } from '../../src/warehouse/models/run-models.js';
import { land, marketNight, publishAndReopen, type Answer } from './warehouse.js';
import { Data } from '../../src/store/data.js';

/** Day 0 of the sandbox's market, and its nights as days since then. */
const START = '2026-08-01';
export const NIGHTS = [0, 1, 60, 110] as const;
export const LAST = NIGHTS[NIGHTS.length - 1]!;
/** The market has the active companies only, so a company leaves it if its status changes. */
export const FILTERS = { company_status: [199] };
/** A currency without exchange rates. */
export const NO_RATE = 'PLN';

/** The market of which `publishWorld` publishes some nights. */
export function worldOf(): World {
  return createWorld({ companies: 400, tenders: 200, seed: 14, date: START });
}

/** Every second company is watched. Its events come by webhook, those of every fourth company only by the list. */
export function watchedEvents(world: World): { id: number; event: CompanyEvent; isDelivered: boolean }[] {
  return membersOf(world, 0).flatMap((id, i) =>
    i % 2 === 0 ? [] : (world.events(id, 1, LAST) ?? []).map((event) => ({ id, event, isDelivered: i % 4 === 1 })),
  );
}

/** Ids of the companies that searches list on a day, ascending. */
export function membersOf(world: World, day: number): number[] {
  return world.matching(FILTERS, day);
}

/** Units of a currency for one EUR on the last day of a year. */
export function rateOf(currency: string, year: number): number {
  return (USD_PER['EUR']! / USD_PER[currency]!) * (1 + (year - 2020) / 100);
}

/** Options of `publishWorld`. */
export interface WorldOptions {
  /** Folder with more models. */
  modelsDir?: string | undefined;
  /**
   * Publishes after each night, not only after the last one, and keeps all builds. Later nights read only new companies
   * and a few others.
   */
  eachNight?: boolean;
  /** More answers, which are landed with the first night. */
  more?: Answer[];
}

/**
 * Lands, loads, builds and publishes the nights of a sandbox market without a Temporal server: companies, reports, watch
 * events, tenders, executives and owners, with exchange rates to EUR.
 */
export async function publishWorld(dataDir: string, options: WorldOptions = {}): Promise<void> {
  const { modelsDir, eachNight = false, more = [] } = options;
  const world = worldOf();
  await land(dataDir, more);
  await writeEmptyWarehouse(dataDir);
  const rates = writeRates(dataDir);
  let warehouse = await openWarehouse(new Data(dataDir));
  try {
    for (const day of NIGHTS) {
      await land(dataDir, nightOf(world, day, eachNight ? isNews(world, day) : undefined));
      if (day === LAST) await land(dataDir, eventsOf(world));
      else if (!eachNight) continue;
      await loadLanding(warehouse, new Data(dataDir));
      const now = new Date(`${world.dateOf(day)}T04:00:00Z`);
      await buildModels(warehouse, { now, modelsDir, personalData: true, rates });
      const keep = eachNight ? NIGHTS.length : undefined;
      warehouse = await publishAndReopen(warehouse, dataDir, { run: 'world', now, keep });
    }
  } finally {
    await warehouse.close();
  }
}

/** Returns a function that says whether a night must read a company. */
function isNews(world: World, day: number): (id: number) => boolean {
  const before = new Set(NIGHTS.filter((night) => night < day).flatMap((night) => membersOf(world, night)));
  return (id) => !before.has(id) || id % 20 === 0;
}

function nightOf(world: World, day: number, isRead: (id: number) => boolean = () => true): Answer[] {
  const date = world.dateOf(day);
  const run = `n${day}`;
  const place = { run, date, market: 'm', at: `${date}T02:30:00.000Z` };
  const ids = membersOf(world, day);
  const gone = { status: 404, body: { error_name: 'IdNotFound', code: 404 } };
  const answers: Answer[] = marketNight({ run, date, ids }).map((answer) =>
    answer.stream === 'prospecting'
      ? {
          ...answer,
          body: {
            total_companies: ids.length,
            total_pages: 1,
            data: ids.map((id) => ({ id, name: world.companyName(id, day) })),
          },
        }
      : answer,
  );
  const executives = groupBy(
    [...TRUTH_TABLES['executives']!.rows(world, { from: 0, day })] as { company_id: number }[],
    ({ company_id: id }) => id,
  );
  for (const id of ids.filter(isRead)) {
    const entity = String(id);
    const [record, report] = [world.company(id, day), world.financialReport(id, day)];
    answers.push({ ...place, stream: 'companies', entity, ...(record === undefined ? gone : { body: record }) });
    answers.push({ ...place, stream: 'financials', entity, ...(report === undefined ? gone : { body: report }) });
    if (day !== LAST) continue;
    const list = (executives.get(id) ?? []).map(({ executive_id, ...rest }: Record<string, unknown>) => ({
      ...rest,
      id: executive_id,
    }));
    answers.push({ ...place, stream: 'executives', entity, body: { pages: 1, list } });
    const { owners } = ownershipOf(world.ctx, indexOf(world.ctx, id)!, 25, false);
    const told = owners.map(({ person_id: person, name, effective_ownership: share }) => ({
      id: person,
      name,
      type: 'person',
      effective_ownership: share,
    }));
    answers.push({
      ...place,
      stream: 'ownership',
      entity,
      row_kind: 'last-25',
      body: { conclusive: true, owners: told },
    });
  }
  const slugs = world.tenderSlugs(day);
  answers.push({
    ...place,
    market: null,
    stream: 'tenders',
    body: { total_results: slugs.length, data: slugs.map((slug) => world.tenderSummary(slug, day)) },
  });
  for (const slug of slugs)
    answers.push({ ...place, market: null, stream: 'tender_details', entity: slug, body: world.tender(slug, day) });
  return answers;
}

function eventsOf(world: World): Answer[] {
  const date = world.dateOf(LAST);
  const events = watchedEvents(world);
  const lists = groupBy(events, ({ id }) => id);
  return [
    ...[...lists].map(([id, ofCompany]): Answer => ({
      stream: 'watch_events',
      run: 'watch',
      date,
      market: null,
      entity: String(id),
      at: `${date}T02:45:00.000Z`,
      body: { total_results: ofCompany.length, data: ofCompany.map(({ event }) => listedEvent(event)) },
    })),
    ...events
      .filter(({ isDelivered }) => isDelivered)
      .map(({ id, event }): Answer => {
        const body = deliveryOf(world, id, event);
        return {
          stream: 'watch_events',
          run: 'webhook',
          date,
          market: null,
          request: 'WEBHOOK /delivery',
          entity: String(id),
          at: body.company_data.date,
          body,
        };
      }),
  ];
}

function writeRates(dataDir: string): RatesSource {
  const file = path.join(dataDir, 'rates.csv');
  const lines = Object.keys(USD_PER)
    .filter((currency) => currency !== 'EUR' && currency !== NO_RATE)
    .flatMap((currency) =>
      Array.from({ length: 18 }, (_, i) => 2009 + i).flatMap((year) =>
        // Fiscal years end on the last day of these months.
        ['03-31', '06-30', '09-30', '12-31'].map((day) => `${year}-${day},${currency},${rateOf(currency, year)}`),
      ),
    );
  writeFileSync(file, ['date,currency,rate', ...lines].join('\n'));
  return { file, name: './rates.csv', data: new Data(dataDir), base: 'EUR', reporting: 'USD' };
}

/** Groups values by a key, in their order. */
export function groupBy<V, K>(values: readonly V[], keyOf: (value: V) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>();
  for (const value of values) groups.set(keyOf(value), [...(groups.get(keyOf(value)) ?? []), value]);
  return groups;
}
