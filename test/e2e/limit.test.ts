import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { defaultPayloadConverter } from '@temporalio/common';
import type { WorkflowHandle } from '@temporalio/client';
import type { RunResult } from '../../schemas/pipeline/run.js';
import { readRunRows } from '../../src/landing/index.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';
import { Data } from '../../src/store/data.js';

const MARKET = { companies: 250, tenders: 40, seed: 5 };
const ACCESS = {
  permission: 'p.details',
  permission_name: 'Company details',
  module: 'm.data',
  module_name: 'Company data',
  app: 'api',
  app_name: 'Company Data API',
};

// The API answers `limit` for longer than the client retries.
describe('an API that answers `limit` for long', () => {
  let system: System;

  const start = (type: string, input: object = {}): Promise<WorkflowHandle> =>
    system.start(type, `${type}/${Math.round(performance.now())}`, input);
  const limit = (route: string, skip = 0) =>
    system.api.answerLimit({
      route,
      skip,
      guard: 'limit',
      access: ACCESS,
      message: 'Too many requests for now.',
      retryAfterSeconds: 1,
    });
  const lift = () => system.api.clearFaults();
  const pending = async (run: WorkflowHandle) => (await run.describe()).raw.pendingActivities ?? [];
  /** Waits until an activity has failed that many times; returns the failure that the Temporal UI shows. */
  const failures = async (run: WorkflowHandle, attempts: number) => {
    await waitUntil(`attempt ${attempts} of ${run.workflowId}`, async () =>
      (await pending(run)).some(({ attempt, lastFailure }) => (attempt ?? 0) > attempts && lastFailure),
    );
    const [activity] = (await pending(run)).filter(({ lastFailure }) => lastFailure);
    const info = activity?.lastFailure?.applicationFailureInfo;
    const payload = info?.details?.payloads?.[0];
    return {
      message: activity?.lastFailure?.message ?? '',
      type: info?.type,
      category: info?.category,
      details: payload ? defaultPayloadConverter.fromPayload(payload) : null,
    };
  };

  beforeAll(async () => {
    system = await startSystem({
      market: MARKET,
      config: { markets: [{ name: 'demo', refresh: { companies: '0d', financials: '0d' } }] },
    });
  });

  afterEach(() => lift());

  afterAll(() => system?.stop());

  it('retries `limit` through Temporal, shows it in `status`, and loses nothing', async () => {
    await limit('/v2/companies/', 150);
    const run = await start('marketSnapshot');
    await failures(run, 2);
    const shown = await failures(run, 4);
    expect(shown).toMatchObject({ type: 'LimitError', details: { guard: 'limit', access: ACCESS } });
    // temporal.api.enums.v1.ApplicationErrorCategory.BENIGN
    expect(shown.category).toBe(1);
    expect(shown.message).toMatch(
      /limit.*Permission "Company details", module "Company data".*retries the rest in 1 s/,
    );
    expect(shown.message).not.toContain(system.api.key);
    const said = await system.tidemark('status');
    expect(said.stdout).toMatch(/marketSnapshot[^]*Temporal retries.*limit.*Permission "Company details"/);
    await lift();
    const result = (await run.result()) as RunResult;
    expect(result).toMatchObject({ outcome: 'complete', rejects: 0, notes: [] });
    await system.api.expectMarketEqualsTruth(system.project);
    const rows = readRunRows({
      data: new Data(path.dirname(system.project.landing)),
      stream: 'companies',
      run: result.run,
      date: result.date,
    });
    expect(rows).toHaveLength(MARKET.companies);
    expect(new Set(rows.map(({ entity_id }) => entity_id)).size).toBe(MARKET.companies);
    expect(await system.project.query('SELECT count(*)::INTEGER AS n FROM ops.rejects')).toEqual([{ n: 0 }]);
  });

  it('waits during `limit` at a search or a listing until it is lifted', async () => {
    for (const route of ['/v2/prospecting', '/v1/finder/tenders', '/v2/companies/watch']) await limit(route);
    const runs = await Promise.all(['marketSnapshot', 'tenderSnapshot', 'watchSync'].map((type) => start(type)));
    const shown = await Promise.all(runs.map((run) => failures(run, 2)));
    for (const failure of shown) expect(failure).toMatchObject({ type: 'LimitError', details: { guard: 'limit' } });
    await lift();
    for (const run of runs) {
      const result = (await run.result()) as RunResult;
      expect(result).toMatchObject({ outcome: 'complete', rejects: 0 });
      // The only notes are about calls of other runs: runs at the same time share the quota, and each notes these calls.
      expect(result.notes.filter((note) => !note.startsWith('The API counted'))).toEqual([]);
    }
  });
});
