import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { waitUntil } from '../helpers/sandbox.js';
import { expectTruth } from '../helpers/expect-truth.js';
import { expectNoFalseClaim, startStubProject, type StubProject } from '../helpers/stub-project.js';
import type { Totals } from '../stub/options.js';
import type { PermissionShape } from '../stub/state.js';
import { companiesTruth, financialsTruth, membersTruth } from '../stub/truth.js';

describe('totals that are not what the pages list', () => {
  // Ten pages of ten cannot list the market, so it is split.
  const LISTED = 130;
  const MARKETS: Totals[] = ['larger', 'smaller', 'moving', 'huge'];
  let stub: StubProject;

  beforeAll(async () => {
    stub = await startStubProject(
      { companies: LISTED, page: { standard: 5, most: 10, above: 'clamped' } },
      { markets: MARKETS.map((name) => ({ name, streams: ['companies'] })) },
    );
  });
  afterAll(() => stub?.close());

  const night = async (market: Totals) => {
    stub.api.state.options.totals = market;
    const run = await stub.snapshot(market);
    await expectNoFalseClaim(stub, run, market);
    return run;
  };

  it('reads everything below a total that is too large, and is incomplete', async () => {
    const { code, result } = await night('larger');
    await expectTruth(stub, membersTruth(stub.api.state, 'larger'));
    expect(result.coverage).toMatchObject({ distinctCompanies: LISTED });
    expect({ code, incomplete: result.incomplete }).toEqual({ code: 1, incomplete: true });
  });

  it('reads past a total that is too small, or is incomplete', async () => {
    const { result } = await night('smaller');
    expect(result.coverage?.distinctCompanies).toBeGreaterThan(LISTED - 45);
  });

  it('counts each company once while the total moves', async () => {
    const { result } = await night('moving');
    expect(result.coverage?.distinctCompanies).toBeLessThanOrEqual(LISTED);
  });

  it('fails soon at a total of 400 digits with the reason', async () => {
    const { requests } = stub.api.state;
    const most = requests.length + 1_000;
    const endless = waitUntil('1,000 requests', () => Promise.resolve(requests.length > most)).then(() => null);
    stub.api.state.options.totals = 'huge';
    const run = await Promise.race([stub.tidemark('snapshot', '--market', 'huge'), endless]);
    expect(requests.length).toBeLessThanOrEqual(most);
    expect(run).toMatchObject({ code: 1, stderr: expect.stringMatching(/total_companies: must be a whole number/) });
  });
});

describe('a key without permission for financial reports', () => {
  const COMPANIES = 150;
  let stub: StubProject;

  beforeAll(async () => {
    const market = { name: 'stub', refresh: { companies: '0d', financials: '0d' } };
    stub = await startStubProject({ companies: COMPANIES }, { markets: [market] });
  });
  afterAll(() => stub?.close());
  afterEach(() => void (stub.api.state.forbidden.length = 0));

  it.each<{ shape: PermissionShape; named: RegExp }>([
    { shape: 'access', named: /Read financial statements.*Financial statements|Financial statements.*Read financial/ },
    { shape: 'detail', named: /permission.*financial|financial.*permission/i },
    { shape: 'code', named: /permission.*financial|financial.*permission/i },
    { shape: 'error_code', named: /permission.*financial|financial.*permission/i },
  ])(
    'stops a refused stream soon, names the permission and reads the rest (shape $shape)',
    async ({ shape, named }) => {
      const { requests, forbidden } = stub.api.state;
      const before = requests.length;
      forbidden.push({ prefix: '/v2/financial/', shape });
      const { result } = await stub.snapshot();
      const refused = requests.slice(before).filter((request) => request.includes('/v2/financial/'));
      // Requests in flight at the first refusals, and a few more.
      expect.soft(refused.length).toBeLessThanOrEqual(48);
      expect.soft(result.notes.join(' ')).toMatch(named);
      expect(result.outcome).not.toBe('complete');
      await expectTruth(stub, membersTruth(stub.api.state, 'stub'));
      await expectTruth(stub, companiesTruth(stub.api.state));
    },
  );

  it('reads the reports once the permission is granted', async () => {
    const { code, result } = await stub.snapshot();
    expect({ code, outcome: result.outcome }).toEqual({ code: 0, outcome: 'complete' });
    await expectTruth(stub, financialsTruth(stub.api.state));
  });
});

describe('a long limit', () => {
  let stub: StubProject;
  beforeAll(async () => {
    const refresh = { companies: '0d', financials: '0d' };
    stub = await startStubProject(
      { companies: 100 },
      {
        quota: { probeEvery: '1s' },
        markets: [
          { name: 'much', refresh },
          { name: 'daily', refresh },
        ],
      },
    );
  });
  afterAll(() => stub?.close());

  const expectWhole = async (market: string, run: Awaited<ReturnType<StubProject['snapshot']>>) => {
    expect.soft(await stub.project.query('SELECT stream, entity_id, reason FROM ops.rejects')).toEqual([]);
    expect({ code: run.code, outcome: run.result.outcome }).toEqual({ code: 0, outcome: 'complete' });
    await expectTruth(stub, membersTruth(stub.api.state, market));
    await expectTruth(stub, companiesTruth(stub.api.state));
    await expectTruth(stub, financialsTruth(stub.api.state));
  };

  it('waits at `limits.daily`, then reads the rest', async () => {
    const { state } = stub.api;
    Object.assign(state.daily, { used: 0, total: 60 });
    const running = stub.snapshot('daily');
    const asked = () => state.requests.filter((request) => request === 'GET /v2/metrics').length;
    await waitUntil('the limit is reached', () => Promise.resolve(state.daily.used >= 60));
    const before = asked();
    await waitUntil('the run asks whether there is room', () => Promise.resolve(asked() >= before + 3));
    state.daily.total = 0;
    await expectWhole('daily', await running);
  });

  it('loses no record while the API answers `limit` for half a minute', async () => {
    const { state } = stub.api;
    const details = () => state.requests.filter((request) => request.startsWith('GET /v2/companies/')).length;
    const before = details();
    const running = stub.snapshot('much');
    await waitUntil('records are read', () => Promise.resolve(details() > before + 10), { everyMs: 5 });
    state.limitedUntil = Date.now() + 30_000;
    await expectWhole('much', await running);
  });
});
