import type { LandingStream } from '../../schemas/streams/landing-streams.js';
import { landRows, type NewRow } from '../../src/landing/index.js';
import { runRecord } from '../run-record.js';
import { DAY_MS, MINUTE_MS } from '../../src/base/time/time.js';
import { Data } from '../../src/store/data.js';

const PAGE = 100;
const CHUNK = 500;
const FIRST_DAY = Date.parse('2026-01-01T02:00:00Z');
const MARKET = 'm';

/**
 * Lands what a crawl of one market lands in a night: the search of all companies, and records and reports of the
 * companies that changed. In night 0, all companies are new. Each night, 0.05 % of the companies enter and leave.
 */
export async function landNight(
  dataDir: string,
  night: number,
  { companies, changedShare }: { companies: number; changedShare: number },
): Promise<void> {
  const place = { data: new Data(dataDir), run: runOf(night), date: dayOf(night), market: MARKET };
  const land = (stream: LandingStream, chunk: string, rows: NewRow[]) => landRows({ ...place, stream, chunk }, rows);
  const record = (stream: LandingStream, chunk: string, bodies: object[]) =>
    land(
      stream,
      chunk,
      bodies.map((body) => row(`tidemark ${stream}`, null, night, 40, body)),
    );
  await record('runs', 'open', [runRecord(place, at(night, 0), null)]);
  const ids = Array.from(
    { length: companies },
    (_, index) => 1_000_000 + index + Math.floor(night * companies * 0.0005),
  );
  const pages = Array.from({ length: Math.ceil(ids.length / PAGE) }, (_, page) =>
    row(`POST /v2/prospecting ${page}`, null, night, 5, {
      total_companies: ids.length,
      total_pages: Math.ceil(ids.length / PAGE),
      data: ids.slice(page * PAGE, (page + 1) * PAGE).map((id) => ({ id, name: `Company ${id}` })),
    }),
  );
  await land('prospecting', 'search-000', pages);
  const due =
    night === 0 ? ids : ids.filter((id) => (id * 7919 + night * 104_729) % Math.round(1 / changedShare) === 0);
  for (let from = 0; from < due.length; from += CHUNK) {
    const some = due.slice(from, from + CHUNK);
    const chunk = String(from / CHUNK).padStart(5, '0');
    await land(
      'companies',
      `companies-${chunk}`,
      some.map((id) => row(`GET /v2/companies/${id}`, id, night, 10, company(id, night))),
    );
    await land(
      'financials',
      `financials-${chunk}`,
      some.map((id) => row(`GET /v2/financial/${id}`, id, night, 20, report(id, night))),
    );
  }
  await record('coverage', 'search', [
    { market: MARKET, reported_total: ids.length, distinct_companies: ids.length, missing: 0, share: 1, why: [] },
  ]);
  await record('requests', 'close', [
    { endpoint: 'POST /v2/prospecting', requests: pages.length, errors: 0, retries: 0, bytes: 1 },
  ]);
  await record('quota', 'read', [
    { metric: 'daily', used: night, total: 0, read_at: at(night, 50).toISOString(), daily: true },
  ]);
  await record('due', 'companies', [{ stream: 'companies', reason: 'stale', entities: due.length }]);
  await record('due', 'financials', [{ stream: 'financials', reason: 'stale', entities: due.length }]);
  await record('runs', 'close', [runRecord(place, at(night, 0), at(night, 55))]);
}

function company(id: number, night: number): object {
  return {
    id,
    name: `Company ${id}`,
    country_code: 'DK',
    registration_number: `R${id}`,
    status: night % 11 === 0 ? 'Inactive' : 'Active',
    company_phone: [`+45 ${id}${night}`],
    company_email: [`info${night}@company-${id}.example`],
    founding_date: '1999-01-01',
    size: '11-50',
    zip_code: String(1_000 + (id % 9_000)),
  };
}

function report(id: number, night: number): object {
  const year = (y: number): object => ({
    'Reported-Date': `${y}-12-31`,
    Currency: 'EUR',
    Turnover: (id % 1_000) * 1_000 + y + (y === 2025 ? night : 0),
    'Gross-Profit': (id % 500) * 100,
    EBITDA: (id % 300) * 50,
    'Profit-After-Tax': (id % 200) * 10,
    'Total-Assets': (id % 700) * 900,
    'Net-Worth': (id % 90) * 77,
    'Number-of-Employees': id % 250,
  });
  return Object.fromEntries([2023, 2024, 2025].map((y) => [String(y), year(y)]));
}

function row(request_key: string, entity: number | null, night: number, minute: number, body: object): NewRow {
  const entity_id = entity === null ? null : String(entity);
  return {
    request_key,
    entity_id,
    row_kind: 'record',
    status: 200,
    fetched_at: at(night, minute).toISOString(),
    body: JSON.stringify(body),
  };
}

/** Returns a moment of a night. The run of a night ends within an hour. */
export const at = (night: number, minute: number): Date => new Date(FIRST_DAY + night * DAY_MS + minute * MINUTE_MS);
const dayOf = (night: number): string => at(night, 0).toISOString().slice(0, 10);
/** Returns the id of a night's run. */
export const runOf = (night: number): string => `run-${String(night).padStart(4, '0')}`;
