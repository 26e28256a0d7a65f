import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stringify } from 'yaml';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config/config.js';
import { declaredSchedules } from '../../src/temporal/schedules.js';
import * as ids from '../../workflows/ids.js';

describe('workflow ids', () => {
  it('builds workflow ids from type, market and date', () => {
    const narrowed = { from: '2026-01-01', to: '2026-01-31', streams: ['tenders', 'financials'], market: 'm' };
    expect([
      ids.snapshotId('m', '2026-11-20'),
      ids.tendersId('2026-11-20'),
      ids.watchId('2026-11-20'),
      ids.backfillId(narrowed),
      ids.backfillId({ ...narrowed, market: null }),
      ids.retryId({ date: '2026-11-20', streams: ['companies'], market: 'm' }),
      ids.retryId({ date: '2026-11-20', streams: ['companies'], market: null }),
      ids.resolveId('abc'),
      ids.payeesId('abc'),
      ids.scheduledId('snapshot', 'm'),
      ids.scheduledId('tenders', null),
      ids.scheduledId('watch', null),
    ]).toEqual([
      'snapshot/m/2026-11-20',
      'tenders/2026-11-20',
      'watch/2026-11-20',
      'backfill/2026-01-01..2026-01-31/financials+tenders/m',
      'backfill/2026-01-01..2026-01-31/financials+tenders',
      'rejects/2026-11-20/companies/m',
      'rejects/2026-11-20/companies',
      'resolve/abc',
      'payees/abc',
      'snapshot/m/scheduled',
      'tenders/scheduled',
      'watch/scheduled',
    ]);
  });
});

describe('declared schedules', () => {
  it('puts a market into the id of a scheduled run only if it has one', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-ids-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = path.join(folder, 'tidemark.yaml');
    const settings = {
      api: { baseUrl: 'http://127.0.0.1:1' },
      markets: [{ name: 'nordics', schedule: { cron: '0 2 * * *' } }],
      tenders: { schedule: { cron: '30 3 * * *' } },
      watch: { schedule: { cron: '0 4 * * *' } },
    };
    writeFileSync(file, stringify(settings));
    expect(declaredSchedules(loadConfig(file, {})).map(({ id, workflowId }) => [id, workflowId])).toEqual([
      ['tidemark/snapshot/nordics', 'snapshot/nordics/scheduled'],
      ['tidemark/tenders', 'tenders/scheduled'],
      ['tidemark/watch', 'watch/scheduled'],
    ]);
  });
});
