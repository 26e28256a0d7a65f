import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { startSystem, type System } from '../helpers/system.js';

const COMPANIES = 600;
const market = { companies: COMPANIES, tenders: 1, seed: 5 };
const NIGHTS = 2;

// The API offers no filter for companies without a date: they are found by other values only.
describe('rotation over companies without a date', () => {
  let system: System;
  let now = new Date();
  const searches: number[] = [];

  const night = async (): Promise<RunResult> => {
    await system.startWorker({ TIDEMARK_NOW: now.toISOString() });
    const before = await system.api.requests('POST /v2/prospecting');
    const { stdout } = await system.tidemarkWith({ TIDEMARK_NOW: now.toISOString() }, 'snapshot', '--json');
    await system.worker.stop();
    searches.push((await system.api.requests('POST /v2/prospecting')) - before);
    now = new Date(now.getTime() + 86_400_000);
    return JSON.parse(stdout) as RunResult;
  };

  beforeAll(async () => {
    system = await startSystem({
      market: { ...market, maxPerPage: 10 },
      // With fewer requests, the search would give up companies of the independent server.
      config: {
        markets: [{ name: 'demo', streams: ['companies'], remainderNights: NIGHTS, requestsPerCompany: 100 }],
      },
      worker: null,
    });
    await system.api.answer({ route: '/v1/finder/companies', status: 403 });
  });

  afterAll(() => system?.stop());

  it('searches all companies on the first night', async () => {
    const { coverage } = await night();
    expect(coverage).toMatchObject({ missing: 0, distinctCompanies: COMPANIES });
    const carried = await system.project.query(
      'SELECT count(*)::INTEGER AS n FROM marts.market_members WHERE seen_on < date',
    );
    expect(carried).toEqual([{ n: 0 }]);
  });

  it('searches a part on later nights and carries over the rest', async () => {
    for (let again = 0; again < NIGHTS; again++) {
      const { coverage, outcome, incomplete } = await night();
      // Coverage counts only companies found in this night, and names those carried over from earlier nights.
      const carriedOver = coverage?.carried?.companies ?? 0;
      expect(carriedOver).toBeGreaterThan(0);
      expect(coverage).toMatchObject({
        reportedTotal: COMPANIES,
        distinctCompanies: COMPANIES - carriedOver,
        missing: carriedOver,
        postponed: carriedOver,
      });
      expect({ outcome, incomplete }).toEqual({ outcome: 'partial', incomplete: false });
    }
    expect(Math.max(...searches.slice(1))).toBeLessThan(searches[0]!);
    const nights = await system.project.query(
      `SELECT m.date::VARCHAR AS date, count(*)::INTEGER AS members, count(*) FILTER (seen_on < m.date)::INTEGER AS carried,
         max(date_diff('day', seen_on, m.date))::INTEGER AS oldest
       FROM marts.market_members AS m GROUP BY m.date ORDER BY m.date`,
    );
    const later = nights.slice(1) as { members: number; carried: number; oldest: number }[];
    expect(later).toHaveLength(NIGHTS);
    for (const { members, carried, oldest } of later) {
      expect(members).toBe(COMPANIES);
      expect(carried).toBeGreaterThan(0);
      expect(oldest).toBeLessThanOrEqual(NIGHTS);
    }
    const [last] = await system.project.query(
      `SELECT s.carried::INTEGER AS carried, c.is_proven, c.share, c.missing::INTEGER AS missing,
         list_sum(list_transform(CAST(c.carried AS JSON[]), lambda night: CAST(night ->> '$.companies' AS INTEGER)))::INTEGER AS named,
         list_transform(CAST(c.why AS JSON[]), lambda gap: gap ->> '$.class')::VARCHAR AS why, r.outcome
       FROM ops.segments AS s JOIN ops.coverage AS c USING (run) JOIN ops.runs AS r ON r.run_id = s.run
       WHERE s.segment = 'root' AND s.carried_since < r.date ORDER BY r.date DESC LIMIT 1`,
    );
    const carried = later.at(-1)?.carried ?? 0;
    expect(last).toEqual({
      carried,
      is_proven: false,
      share: (COMPANIES - carried) / COMPANIES,
      missing: carried,
      named: carried,
      why: '[carried]',
      outcome: 'partial',
    });
    const daily = await system.project.query(
      `SELECT companies::INTEGER AS companies, carried::INTEGER AS carried, entered::INTEGER AS entered, "left"::INTEGER AS gone
       FROM marts.market_daily ORDER BY date DESC LIMIT 1`,
    );
    expect(daily).toEqual([{ companies: COMPANIES - carried, carried, entered: 0, gone: null }]);
  });

  it('reports no move of a company that was not searched', async () => {
    const moves = await system.project.query(
      "SELECT count(*)::INTEGER AS n FROM marts.changes WHERE kind IN ('entered', 'left')",
    );
    expect(moves).toEqual([{ n: 0 }]);
  });

  it('finds new companies and drops gone ones within a full rotation', async () => {
    await system.api.advanceDay(30);
    for (let again = 0; again <= NIGHTS; again++) await night();
    const members = await system.project.query(
      'SELECT company_id::VARCHAR AS id FROM marts.market_members WHERE date = (SELECT max(date) FROM ops.nights) ORDER BY company_id',
    );
    expect(members.map(({ id }) => id)).toEqual(system.api.truthOf(30).companyIds);
  });
});
