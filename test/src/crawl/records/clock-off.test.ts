import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunContext } from '../../../../schemas/pipeline/run.js';
import { createApiClient } from '../../../../src/api/index.js';
import { createClock } from '../../../../src/base/time/clock.js';
import { loadConfig } from '../../../../src/config/config.js';
import { createLog } from '../../../../src/config/log.js';
import { StampClock } from '../../../../src/base/time/stamp-clock.js';
import type { CrawlDeps, Heartbeat } from '../../../../src/crawl/records/deps.js';
import { checkClock, readClock } from '../../../../src/crawl/records/clock-off.js';
import { openRun } from '../../../../src/crawl/run/open-run.js';
import { readQuota, reopenQuota } from '../../../../src/crawl/read-quota.js';
import { makeProject, type Project } from '../../../helpers/project.js';
import { Data } from '../../../../src/store/data.js';

const HOUR_MS = 3_600_000;
const PULSE: Heartbeat = { report: () => undefined, signal: new AbortController().signal, attempt: 1 };

describe("the machine's clock compared with the API's", () => {
  let server: Server;
  let project: Project;
  let date: string | undefined;
  let headers: Record<string, string> = {};

  beforeEach(async () => {
    server = createServer((_, response) => {
      response.sendDate = false;
      if (date !== undefined) response.setHeader('date', date);
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      response.setHeader('content-type', 'application/json').end('[]');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    project = makeProject({ api: { url: `http://127.0.0.1:${port}`, key: 'k'.repeat(16) }, temporal: 'none' });
  });

  afterEach(async () => {
    headers = {};
    project.remove();
    await new Promise((resolve) => server.close(resolve));
  });

  const ask = async (hoursAhead: number | null, { begins = true } = {}) =>
    withDeps(hoursAhead, async (deps, ctx) => (await readQuota(deps, ctx, PULSE, begins ? 'ends' : 'describes')).clock);

  const withDeps = async <T>(hoursAhead: number | null, work: (deps: CrawlDeps, ctx: RunContext) => Promise<T>) => {
    date = hoursAhead === null ? undefined : new Date(Date.now() - hoursAhead * HOUR_MS).toUTCString();
    const config = loadConfig(project.env['TIDEMARK_CONFIG'] ?? '', project.env);
    const deps = {
      config,
      data: new Data(config.dataDir),
      client: createApiClient({ baseUrl: config.api.baseUrl, apiKey: 'k'.repeat(16) }),
      clock: createClock({}),
      log: createLog('test'),
    };
    const ctx = openRun(config, deps.clock, { workflowType: 'marketSnapshot', workflowId: 'w', run: 'r', input: {} });
    try {
      return await work(deps, ctx);
    } finally {
      await deps.client.close();
    }
  };

  it('reports nothing if the clock is right or the API sends no date', async () => {
    expect(await ask(0)).toBeNull();
    expect(await ask(null)).toBeNull();
  });

  it('reports a clock a few minutes off', async () => {
    expect(await ask(0.05)).toMatch(/is 3 minutes ahead of the API's/);
    expect(await ask(-0.05)).toMatch(/is (2|3) minutes behind the API's/);
  });

  it('rejects a clock more than five minutes off at the start of a run', async () => {
    await expect(ask(12)).rejects.toMatchObject({
      type: 'ClockWrong',
      retryable: false,
      message: expect.stringMatching(/12 hours ahead/),
      todo: expect.stringMatching(/with NTP.*start the run again/),
    });
    await expect(ask(-0.2)).rejects.toThrow(/(11|12) minutes behind/);
    await expect(ask(49)).rejects.toThrow(/2 days ahead/);
    await expect(ask(-25)).rejects.toThrow(/(24|25) hours behind/);
  });

  it.each([
    { age: '43200' },
    { Age: '1', via: '1.1 cache' },
    { 'cache-status': 'edge; hit; ttl=-12' },
    { 'cache-status': '"origin shield"; fwd=miss; stored, edge; hit' },
    { 'x-cache': 'HIT from cache.internal' },
    { 'x-cache': 'TCP_REFRESH_HIT' },
    { 'x-cache': 'Stale from gateway' },
    { 'cf-cache-status': 'UPDATING' },
    { warning: '110 - "Response is Stale"' },
    { warning: '113 cache "Heuristic Expiration"' },
  ])('accepts the clock if a cache gave an old answer: %j', async (sent) => {
    headers = sent;
    expect(await ask(12)).toBeNull();
    // The API made the answer before it was asked for, so the machine's clock is behind.
    await expect(ask(-12)).rejects.toThrow(/(11|12) hours behind/);
  });

  it.each([
    {},
    { age: '0' },
    { age: 'none' },
    { via: '1.1 gateway' },
    { 'x-cache': 'MISS from cache.internal' },
    { 'x-cache': 'BYPASS' },
    { 'cache-status': 'edge; fwd=uri-miss; stored' },
    { 'cache-status': 'edge; hit=?0; fwd=miss' },
    { 'cf-cache-status': 'DYNAMIC' },
    { 'cache-control': 'public, max-age=60' },
    { warning: '199 - "Miscellaneous"' },
  ])('rejects the clock if the answer is new: %j', async (sent) => {
    headers = sent;
    await expect(ask(12)).rejects.toThrow(/12 hours ahead/);
  });

  it('allows for the time that an answer takes', async () => {
    const sentAt = new Date('2026-11-20T02:00:00Z');
    const receivedAt = new Date('2026-11-20T02:20:00Z');
    const off = (servedAt: string): string | null => {
      const reading = readClock({ servedAt, cached: false, sentAt, receivedAt });
      return checkClock(reading, 'describes');
    };
    expect(off('2026-11-20T02:00:00Z')).toBeNull();
    expect(off('2026-11-20T02:20:00Z')).toBeNull();
    expect(off('2026-11-20T01:55:00Z')).toMatch(/is 5 minutes ahead/);
    expect(off('2026-11-20T02:30:00Z')).toMatch(/is 10 minutes behind/);
  });

  it('names hours up to two days', () => {
    const reading = { servedAt: '2026-11-19T01:00:45Z', now: new Date('2026-11-20T02:00:45Z') };
    expect(checkClock(reading, 'describes')).toMatch(/is 25 hours ahead of/);
  });

  it('only reports a wrong clock during a run', async () => {
    expect(await ask(49, { begins: false })).toMatch(/is 2 days ahead of the API's .* Set it with NTP/);
  });

  it('stops a worker with a wrong clock until it is right', async () => {
    const stamps = new StampClock(createClock({}));
    const go = async (hoursAhead: number) =>
      withDeps(hoursAhead, (deps, ctx) => reopenQuota({ ...deps, stamps }, ctx, PULSE));
    await expect(go(12)).rejects.toMatchObject({
      type: 'ClockWrong',
      retryable: true,
      todo: expect.stringMatching(/continues when the clock is right/),
    });
    await go(0);
    // Checked once, because the clock was not set since.
    await go(12);
  });
});
