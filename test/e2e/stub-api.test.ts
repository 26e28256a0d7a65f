import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { expectTruth } from '../helpers/expect-truth.js';
import { expectNoFalseClaim, startStubProject, type StubProject } from '../helpers/stub-project.js';
import { companiesTruth, financialsTruth, membersTruth, tendersTruth } from '../stub/truth.js';

// The stub differs from the sandbox wherever the reference is silent, so these tests do not depend on the sandbox's
// choices. test/stub/README.md lists the stub's choices.
describe('an API with pages of 40 that sends proxy pages', () => {
  let stub: StubProject;
  let code: number;
  let result: RunResult;

  beforeAll(async () => {
    stub = await startStubProject({
      companies: 440,
      tenders: 50,
      proxyPages: true,
      page: { standard: 25, most: 40, above: 'clamped' },
    });
    ({ code, result } = await stub.snapshot());
  });
  afterAll(() => stub?.close());

  it('completes a market above the page cap with pages of 40', async () => {
    expect(result.coverage).toMatchObject({ reportedTotal: 440, distinctCompanies: 440, missing: 0, share: 1 });
    expect({ code, outcome: result.outcome }).toEqual({ code: 0, outcome: 'complete' });
    await expectTruth(stub, membersTruth(stub.api.state, 'stub'));
  });

  it('stores every company field by field', async () => {
    await expectTruth(stub, companiesTruth(stub.api.state));
  });

  it('stores every financial value, including numbers sent as text', async () => {
    await expectTruth(stub, financialsTruth(stub.api.state));
  });

  it('stores tenders with day and time, one version each', async () => {
    expect((await stub.tidemark('tenders')).code).toBe(0);
    await expectTruth(stub, tendersTruth(stub.api.state));
  });

  it('leaves no reject when the API sends proxy pages', async () => {
    expect(await stub.project.query('SELECT stream, entity_id, reason, path FROM ops.rejects')).toEqual([]);
  });
});

describe('an API that ends connections, refuses large pages and answers errors with 200', () => {
  let stub: StubProject;
  beforeAll(async () => {
    stub = await startStubProject({
      companies: 130,
      page: { standard: 5, most: 10, above: 'refused' },
      errors: 'ok',
      connections: 'closed',
      incorporation: 'exclusive',
    });
  });
  afterAll(() => stub?.close());

  it('completes a market when large pages are refused and errors come as 200', async () => {
    const { code, result } = await stub.snapshot();
    expect(result.coverage).toMatchObject({ distinctCompanies: 130, missing: 0, share: 1 });
    expect({ code, outcome: result.outcome }).toEqual({ code: 0, outcome: 'complete' });
    await expectTruth(stub, membersTruth(stub.api.state, 'stub'));
    await expectTruth(stub, companiesTruth(stub.api.state));
    await expectTruth(stub, financialsTruth(stub.api.state));
  });
});

describe('ids that the warehouse cannot hold', () => {
  let stub: StubProject;
  beforeAll(async () => {
    stub = await startStubProject({ companies: 40, ids: 'unstorable' });
  });
  afterAll(() => stub?.close());

  it('counts ids that BIGINT cannot hold as missing and names each in a reject', async () => {
    const run = await stub.snapshot();
    await expectNoFalseClaim(stub, run);
    expect(run.result.coverage).toMatchObject({ reportedTotal: 40, missing: 40, share: 0 });
    await expectTruth(stub, membersTruth(stub.api.state, 'stub'));
    const rejects = await stub.project.query(`SELECT raw FROM ops.rejects`);
    const unnamed = stub.api.state.companies.filter(
      ({ id }) => !rejects.some(({ raw }) => JSON.stringify(raw).includes(id)),
    );
    expect(unnamed.map(({ id }) => id)).toEqual([]);
  });

  it('proves nothing for a night whose ids the warehouse cannot hold', async () => {
    const [coverage] = await stub.project
      .query(`SELECT reported_total::INTEGER AS total, distinct_companies::INTEGER AS found,
      loaded_companies::INTEGER AS loaded, share, is_proven FROM ops.coverage`);
    expect(coverage).toEqual({ total: 40, found: 0, loaded: 0, share: 0, is_proven: false });
    expect(await stub.project.query('SELECT outcome FROM ops.runs')).toEqual([{ outcome: 'partial' }]);
    expect(await stub.project.query('SELECT is_complete FROM ops.nights')).toEqual([{ is_complete: false }]);
    expect(await stub.project.query(`SELECT DISTINCT reason FROM ops.rejects WHERE stream = 'prospecting'`)).toEqual([
      { reason: 'unusable_id' },
    ]);
  });
});

const SPELLINGS = [
  { ids: 'padded' as const, what: '7 in one place and "0007" in another' },
  { ids: 'large' as const, what: 'above 2^53, as numbers and as texts' },
];
// test/security/awkward-truths.test.ts also has an id above 2^53.
describe.each(process.env['STUB_IDS'] === 'all' ? SPELLINGS : SPELLINGS.slice(0, 1))(
  'ids that are $what',
  ({ ids }) => {
    let stub: StubProject;
    beforeAll(async () => {
      stub = await startStubProject({ companies: 130, ids, page: { standard: 5, most: 10, above: 'clamped' } });
    });
    afterAll(() => stub?.close());

    it('stores one company per id, with its own record and reports', async () => {
      const run = await stub.snapshot();
      await expectNoFalseClaim(stub, run);
      expect.soft(run.result.coverage).toMatchObject({ distinctCompanies: 130, missing: 0, share: 1 });
      await expectTruth(stub, membersTruth(stub.api.state, 'stub'));
      await expectTruth(stub, companiesTruth(stub.api.state));
      await expectTruth(stub, financialsTruth(stub.api.state));
    });
  },
);
