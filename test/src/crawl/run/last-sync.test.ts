import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { ConfigSchema } from '../../../../src/config/config-schema.js';
import type { Config } from '../../../../src/config/config.js';
import type { CloseRunInput } from '../../../../schemas/pipeline/activities.js';
import { createApiClient } from '../../../../src/api/index.js';
import { createLog } from '../../../../src/config/log.js';
import { closeRun } from '../../../../src/crawl/run/close-run.js';
import { lastSyncDate } from '../../../../src/crawl/run/earlier-runs.js';
import { openRun } from '../../../../src/crawl/run/open-run.js';
import { UNCHECKED } from '../../../helpers/activity-inputs.js';
import { Data } from '../../../../src/store/data.js';

const dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-sync-'));
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const config: Config = {
  ...ConfigSchema.parse({ api: { baseUrl: 'http://127.0.0.1:1' } }),
  file: 'f',
  fileHash: 'h',
  dataDir,
  hash: 'h',
};

const sync = async (now: string, outcome: CloseRunInput['outcome'], input: object = {}): Promise<void> => {
  const clock = { now: () => new Date(now) };
  const client = createApiClient({ baseUrl: 'http://127.0.0.1:1', apiKey: 'unused-key-0123' });
  const ctx = openRun(config, clock, { workflowType: 'watchSync', workflowId: 'w', run: `${now}-${outcome}`, input });
  await closeRun(
    { config, data: new Data(dataDir), clock, client, log: createLog('test') },
    { ...UNCHECKED, ctx, outcome, note: null, heldBack: null },
  );
  await client.close();
};

it('finds the last completed sync that was not for a past day', async () => {
  const now = new Date('2026-11-15T02:00:00Z');
  expect(lastSyncDate(dataDir, now)).toBeUndefined();
  await sync('2026-11-10T02:00:00Z', 'complete');
  await sync('2026-11-12T02:00:00Z', 'failed');
  await sync('2026-11-13T02:00:00Z', 'partial');
  await sync('2026-11-14T02:00:00Z', 'complete', { date: '2026-11-13' });
  expect(lastSyncDate(dataDir, now)).toBe('2026-11-10');
  // A sync on a machine whose clock was ahead.
  await sync('2029-01-01T02:00:00Z', 'complete');
  expect(lastSyncDate(dataDir, now)).toBe('2026-11-10');
  expect(lastSyncDate(dataDir, new Date('2029-01-01T03:00:00Z'))).toBe('2029-01-01');
});
