import { createWorld } from '../sandbox/world/index.js';
import { landRows } from '../src/landing/index.js';
import { Data } from '../src/store/data.js';

const CHUNK = 500;

/**
 * Lands the record and the report of each company of a sandbox market, as a first night does.
 * @returns the ids of the companies
 */
export async function landRecords(dataDir: string, companies: number): Promise<number[]> {
  const world = createWorld({ companies, tenders: 0, seed: 1, date: '2026-11-20' });
  const ids = world.companyIds(0);
  const bodies = {
    companies: (id: number) => world.company(id, 0),
    financials: (id: number) => world.financialReport(id, 0),
  };
  for (const stream of ['companies', 'financials'] as const) {
    for (let from = 0; from < ids.length; from += CHUNK) {
      const rows = ids.slice(from, from + CHUNK).flatMap((id) => {
        const body = bodies[stream](id);
        if (body === undefined) return [];
        return {
          request_key: `GET /${stream}/${id}`,
          entity_id: String(id),
          row_kind: 'record',
          status: 200,
          fetched_at: '2026-11-20T02:00:00.000Z',
          body: JSON.stringify(body),
        };
      });
      const chunk = `${stream}-${String(from / CHUNK).padStart(5, '0')}`;
      await landRows({ data: new Data(dataDir), stream, run: 'r', date: '2026-11-20', market: 'm', chunk }, rows);
    }
  }
  return ids;
}
