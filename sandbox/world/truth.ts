import { toInstant } from './calendar.js';
import type { Versions } from './changes.js';
import type { World } from './index.js';
import { indexOf } from './membership.js';
import { peopleCountOf, personIdOf, PLACES } from './people.js';
import { employeeRecord, executiveRecord } from './person-records.js';
import { v1FinancialReport } from './v1/financial-report.js';

/*
 * The true market on one day, as tables. Tests compare them with the data loaded from the API. Rows are plain JSON. Key
 * columns hold ids of companies and people as numbers, even where the API sends text.
 */

/**
 * The days of a table. `day` is the day that it describes; `from` is the first day of its events. Days are counted from
 * the start date.
 */
export interface TruthSpan {
  from: number;
  day: number;
}

/** One table of the true market. */
export interface TruthTable {
  /** What one row of the table is. */
  grain: string;
  rows: (world: World, span: TruthSpan) => Generator<object>;
}

export const TRUTH_TABLES: Readonly<Record<string, TruthTable>> = {
  companies: {
    grain: 'company that searches list on the day; `exists` is false if the API no longer has its details',
    rows: companies,
  },
  financials: { grain: 'company, fiscal year, indicator', rows: financials },
  financials_v1: { grain: 'company, date of a version 1 report, indicator', rows: financialsV1 },
  tenders: { grain: 'tender listed on the day', rows: tenders },
  events: {
    grain: 'event of a listed company, from the day `from` (default: `day`) to the day `day`',
    rows: events,
  },
  employees: { grain: 'person in version 2', rows: employees },
  executives: { grain: 'person in version 1', rows: executives },
};

function* companies(world: World, { day }: TruthSpan): Generator<object> {
  for (const id of world.companyIds(day)) {
    const record = world.company(id, day) ?? null;
    const name = world.companyName(id, day);
    yield { company_id: id, name, exists: record !== null, profile: world.profile(id, day), record };
  }
}

function* financials(world: World, { day }: TruthSpan): Generator<object> {
  for (const id of world.companyIds(day)) {
    for (const [year, indicators] of Object.entries(world.financialReport(id, day) ?? {})) {
      for (const [indicator, value] of Object.entries(indicators)) {
        yield { company_id: id, fiscal_year: Number(year), indicator, value };
      }
    }
  }
}

function* financialsV1(world: World, { day }: TruthSpan): Generator<object> {
  for (const id of world.companyIds(day)) {
    const report = world.financialReport(id, day);
    if (report === undefined) continue;
    for (const { date, indicators } of v1FinancialReport(world.ctx, indexOf(world.ctx, id)!, report).reports) {
      for (const [indicator, { value, progress }] of Object.entries(indicators)) {
        yield { company_id: id, date, indicator, value, progress };
      }
    }
  }
}

function* tenders(world: World, { day }: TruthSpan): Generator<object> {
  for (const slug of world.tenderSlugs(day)) {
    const { project_type } = world.tenderSummary(slug, day)!;
    yield { ...world.tender(slug, day)!, project_type };
  }
}

function* events(world: World, { from, day }: TruthSpan): Generator<object> {
  for (const id of world.companyIds(day)) {
    for (const event of world.events(id, from, day)!) {
      const { field, old, new: now } = event;
      yield { company_id: id, field, occurred_at: toInstant(event.day, event.second), old_value: old, new_value: now };
    }
  }
}

function* employees(world: World, { day }: TruthSpan): Generator<object> {
  yield* people(world, day, (number, companyId, versions) => ({
    employee_id: personIdOf(world.ctx, number),
    ...employeeRecord(world.ctx, number, versions),
    company_id: companyId,
  }));
}

function* executives(world: World, { day }: TruthSpan): Generator<object> {
  yield* people(world, day, (number, companyId, versions) => ({
    executive_id: personIdOf(world.ctx, number),
    ...executiveRecord(world.ctx, number, versions),
    company_id: companyId,
  }));
}

function* people(
  world: World,
  day: number,
  row: (number: number, companyId: number, versions: Versions) => object,
): Generator<object> {
  for (const id of world.companyIds(day)) {
    const index = indexOf(world.ctx, id)!;
    if (!world.exists(index, day)) continue;
    const versions = world.versionsOf(index, day);
    // Build all rows of a company before the first yield. At a yield, another caller may overwrite `versions`, because
    // all callers share this object.
    const count = peopleCountOf(world.ctx, index);
    yield* Array.from({ length: count }, (_, place) => row(index * PLACES + place, id, versions));
  }
}
