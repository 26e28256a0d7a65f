import type { LandingStream } from '../../schemas/pipeline/landing.js';
import { landRows, type NewRow } from '../../src/landing/index.js';
import { landRecords } from '../land-records.js';
import { runRecord } from '../run-record.js';

const PAGE = 100;
const PLACE = { run: 'r', date: '2026-11-20', market: 'm' };

/** Lands a first night of a market: the pages of its search, records, reports, and the records about the run. */
export async function landMarket(dataDir: string, companies: number): Promise<void> {
  const ids = await landRecords(dataDir, companies);
  const land = (stream: LandingStream, rows: NewRow[]) => landRows({ ...PLACE, dataDir, stream, chunk: 'one' }, rows);
  const count = Math.ceil(ids.length / PAGE);
  const pages = Array.from({ length: count }, (_, page) => {
    const data = ids.slice(page * PAGE, (page + 1) * PAGE).map((id) => ({ id, name: `Company ${id}` }));
    return row(`POST /v2/prospecting ${page}`, { total_companies: ids.length, total_pages: count, data });
  });
  await land('prospecting', pages);
  const found = { reported_total: ids.length, distinct_companies: ids.length, missing: 0, share: 1, why: [] };
  await land('coverage', [row('tidemark coverage', { market: 'm', ...found })]);
  const [started, finished] = [new Date('2026-11-20T01:00:00Z'), new Date('2026-11-20T03:00:00Z')];
  await land('runs', [row('tidemark runs', runRecord(PLACE, started, finished))]);
}

function row(request_key: string, body: object): NewRow {
  const fetched_at = '2026-11-20T01:30:00.000Z';
  return { request_key, entity_id: null, segment: 'record', status: 200, fetched_at, body: JSON.stringify(body) };
}
