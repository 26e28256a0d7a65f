import { rmSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DataFolder, RunContext } from '../../../../schemas/pipeline/run.js';
import { createApiClient } from '../../../../src/api/index.js';
import { createClock } from '../../../../src/base/time/clock.js';
import { loadConfig } from '../../../../src/config/config.js';
import { openDataFolder } from '../../../../src/store/folder-identity.js';
import { createLog } from '../../../../src/config/log.js';
import { closeRun, landOpening } from '../../../../src/crawl/run/close-run.js';
import type { CrawlDeps, Heartbeat } from '../../../../src/crawl/records/deps.js';
import { discoverMarket } from '../../../../src/crawl/search/discover.js';
import { fetchChunk } from '../../../../src/crawl/chunks/fetch-chunk.js';
import { hasRunRecord } from '../../../../src/crawl/records/folder-changed.js';
import { openRun } from '../../../../src/crawl/run/open-run.js';
import { landRows } from '../../../../src/landing/index.js';
import { makeProject, type Project } from '../../../helpers/project.js';
import { startStub, type StubApi } from '../../../stub/index.js';
import { ALONE, UNCHECKED } from '../../../helpers/activity-inputs.js';
import { Data } from '../../../../src/store/data.js';

const heartbeat: Heartbeat = { report: () => undefined, signal: new AbortController().signal, attempt: 1 };

describe('a data folder that lost files during a run', () => {
  let api: StubApi;
  let project: Project;
  let deps: CrawlDeps;
  let ctx: RunContext;
  let folder: DataFolder;

  beforeEach(async () => {
    api = await startStub({ companies: 30 });
    project = makeProject({ api, temporal: 'none' });
    const config = loadConfig(project.env['TIDEMARK_CONFIG'] ?? '', project.env);
    const client = createApiClient({ baseUrl: api.url, apiKey: api.key });
    folder = await openDataFolder(config.dataDir);
    deps = {
      config,
      data: new Data(config.dataDir),
      client,
      clock: createClock({}),
      log: createLog('test'),
      folder,
    };
    const input = { workflowType: 'marketSnapshot', workflowId: 'w', run: 'run-1', input: {} } as const;
    ctx = openRun(config, deps.clock, input, { folder });
    await landOpening(deps, ctx);
  });

  afterEach(async () => {
    await deps.client.close();
    await api.close();
    project.remove();
  });

  const changed = (message: RegExp) =>
    expect.objectContaining({ type: 'DataFolderChanged', retryable: false, message: expect.stringMatching(message) });
  const runDir = () => path.join(project.dataDir, 'runs', ctx.run);

  it('fails a chunk whose due list is missing', async () => {
    const chunk = fetchChunk(deps, { ...ALONE, ctx, stream: 'companies', chunk: 3, concurrency: 1 }, heartbeat);
    await expect(chunk).rejects.toEqual(changed(/due\/companies\/chunk-00003\.json.* is missing/));
  });

  it('fails a search whose plan is missing', async () => {
    const round = (n: number) => discoverMarket(deps, { ctx, budget: 5, concurrency: 1, round: n }, heartbeat);
    await round(0);
    rmSync(runDir(), { recursive: true });
    await expect(round(1)).rejects.toEqual(changed(/known-market\.json, the basis of the search plan, is missing/));
  });

  it('fails to close a run as complete if landed rows are missing', async () => {
    const { dataDir } = deps.config;
    const row = (id: number) => ({
      request_key: `GET /v2/companies/${id}`,
      entity_id: String(id),
      row_kind: 's',
      status: 200,
      fetched_at: new Date().toISOString(),
      body: '{}',
    });
    const { run, date } = ctx;
    await landRows({ data: new Data(dataDir), stream: 'companies', run, date, market: 'demo', chunk: 'c' }, [
      row(1),
      row(2),
    ]);
    const close = (landed: number) =>
      closeRun(deps, { ...UNCHECKED, ctx, outcome: 'complete', note: null, heldBack: null, landed });
    await expect(close(3)).rejects.toEqual(changed(/holds 2 of the 3 responses that the run landed/));
    expect(await hasRunRecord(deps.data, ctx, 'close')).toBe(false);
    expect(await close(2)).toMatchObject({ rows: 2 });
    expect(await hasRunRecord(deps.data, ctx, 'close')).toBe(true);
  });

  it('files a failed run even if its landing zone is missing', async () => {
    rmSync(path.join(project.dataDir, 'landing'), { recursive: true });
    expect(await hasRunRecord(deps.data, ctx, 'open')).toBe(false);
    const end = { ...UNCHECKED, ctx, outcome: 'failed', note: 'lost', heldBack: null } as const;
    expect(await closeRun(deps, end)).toMatchObject({ rows: 0 });
  });
});
