import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createApiClient } from '../../../../src/api/index.js';
import { createClock } from '../../../../src/base/time/clock.js';
import { loadConfig } from '../../../../src/config/config.js';
import { createLog } from '../../../../src/config/log.js';
import { fetchChunk } from '../../../../src/crawl/chunks/fetch-chunk.js';
import { openRun } from '../../../../src/crawl/run/open-run.js';
import { readRunRows } from '../../../../src/landing/index.js';
import { makeProject } from '../../../helpers/project.js';
import { ALONE } from '../../../helpers/activity-inputs.js';
import { Data } from '../../../../src/store/data.js';

it('stops after 1,000 event pages of a company and reports it', async () => {
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    request.resume();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ total_results: 1e9, pages: 1e9, data: [{ event_type: `${asked}` }] }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const api = { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, key: 'a-key-of-this-test' };
  const project = makeProject({ api, temporal: 'none' });
  const config = loadConfig(project.env['TIDEMARK_CONFIG'] ?? '', project.env);
  const client = createApiClient({ baseUrl: api.url, apiKey: api.key });
  try {
    const deps = {
      config,
      data: new Data(config.dataDir),
      client,
      clock: createClock({}),
      log: createLog('test'),
    };
    const ctx = openRun(config, deps.clock, { workflowType: 'watchSync', workflowId: 'w', run: 'run-1', input: {} });
    const folder = path.join(project.dataDir, 'runs', 'run-1', 'due', 'watch_events');
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'chunk-00000.json'), JSON.stringify([{ id: '7', reason: 'watched' }]));
    const heartbeat = { report: () => undefined, signal: new AbortController().signal, attempt: 1 };
    const input = { ...ALONE, ctx, stream: 'watch_events' as const, chunk: 0, concurrency: null };
    expect(await fetchChunk(deps, input, heartbeat)).toMatchObject({ rows: 1_001, failed: 1 });
    expect(asked).toBe(1_000);
    const rows = readRunRows({
      data: new Data(project.dataDir),
      stream: 'watch_events',
      run: ctx.run,
      date: ctx.date,
    });
    expect(rows.at(-2)).toMatchObject({
      entity_id: '7',
      status: 0,
      body: expect.stringMatching(/1,000,000,000 pages/),
    });
    expect(rows.at(-1)).toMatchObject({ entity_id: '7', status: 200, row_kind: 'last-page' });
  } finally {
    await client.close();
    server.closeAllConnections();
    server.close();
    project.remove();
  }
});
