import { createWorld } from '../../sandbox/world/index.js';
import { landRows, type NewRow } from '../../src/landing/index.js';
import { Data } from '../../src/store/data.js';

/** Reports per part, as in a crawl: two chunks. */
const PART = 1_000;

/**
 * Lands the v2 reports of a sandbox market as one night's run, with the landing writer.
 * @param rounds number of times to land the market, each time with other ids, to get many reports in little time
 * @returns size of all bodies in bytes
 */
export async function landReports(
  dataDir: string,
  { companies, rounds = 1 }: { companies: number; rounds?: number },
): Promise<number> {
  const world = createWorld({ companies, tenders: 0, seed: 1, date: '2026-11-20' });
  const ids = world.companyIds(0);
  let bytes = 0;
  for (let round = 0; round < rounds; round++) {
    for (let at = 0; at < ids.length; at += PART) {
      const rows = ids.slice(at, at + PART).map((id): NewRow => {
        const entity = String(id + round * 100_000_000);
        const body = JSON.stringify(world.financialReport(id, 0) ?? {});
        bytes += Buffer.byteLength(body);
        return {
          request_key: `GET /v2/financial/${entity}`,
          entity_id: entity,
          row_kind: 'record',
          status: 200,
          fetched_at: '2026-11-20T02:00:00.000Z',
          body,
        };
      });
      const chunk = `financials-${String(round * 1_000 + at / PART).padStart(5, '0')}`;
      await landRows(
        { data: new Data(dataDir), stream: 'financials', run: 'bench', date: '2026-11-20', market: 'm', chunk },
        rows,
      );
    }
  }
  return bytes;
}

/** Lands the reports of a share of the companies again, with another value in the first year of each report. */
export async function landChangedReports(
  dataDir: string,
  {
    companies,
    rounds,
    night,
    at,
    share,
  }: { companies: number; rounds: number; night: number; at: Date; share: number },
): Promise<void> {
  const world = createWorld({ companies, tenders: 0, seed: 1, date: '2026-11-20' });
  const every = Math.round(1 / share);
  const rows: NewRow[] = [];
  for (let round = 0; round < rounds; round++)
    for (const [index, id] of world.companyIds(0).entries()) {
      if ((index * 7_919 + night * 104_729 + round) % every !== 0) continue;
      const report = Object.entries(world.financialReport(id, 0) ?? {}).map(([year, values], i) => [
        year,
        i === 0 ? { ...(values as object), Turnover: night * 1_000 + index } : values,
      ]);
      const entity = String(id + round * 100_000_000);
      rows.push({
        request_key: `GET /v2/financial/${entity}`,
        entity_id: entity,
        row_kind: 'record',
        status: 200,
        fetched_at: at.toISOString(),
        body: JSON.stringify(Object.fromEntries(report)),
      });
    }
  const place = {
    data: new Data(dataDir),
    run: `night-${night}`,
    date: at.toISOString().slice(0, 10),
    market: 'm',
  };
  await landRows({ ...place, stream: 'financials', chunk: 'financials-00000' }, rows);
}
