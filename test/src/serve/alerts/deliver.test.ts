import { existsSync, mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Alert } from '../../../../schemas/pipeline/alert.js';
import type { Config } from '../../../../src/config/config.js';
import { NotifySchema } from '../../../../src/config/notify-schema.js';
import { deliver } from '../../../../src/serve/alerts/deliver.js';
import { alertsDir } from '../../../../src/store/data-folder.js';
import { openDeliveries, readDelivery, writeDelivery } from '../../../../src/serve/alerts/records.js';
import { startWebhook, type AlertTarget } from '../../../helpers/alert-targets.js';
import { Data } from '../../../../src/store/data.js';

const ALERT: Alert = {
  id: 'tenders/2026-11-20/failed/Unauthorized',
  cause: 'failed',
  market: null,
  date: '2026-11-20',
  title: 'Tenders, night of 2026-11-20: the run failed',
  facts: [],
  todo: 'Check the API key.',
  workflowId: 'tenders/2026-11-20',
  run: 'r',
  at: '2026-11-20T03:00:00.000Z',
};

let dataDir: string;
let webhook: AlertTarget;

beforeEach(async () => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-deliver-'));
  webhook = await startWebhook();
});

afterEach(async () => {
  await webhook.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const send = (target = 'hook', template: string = 'json') => {
  const address = `http://127.0.0.1:${webhook.port}`;
  const notify = NotifySchema.parse([{ name: 'hook', webhook: address, template }]);
  const config = { dataDir, file: path.join(dataDir, 'tidemark.yaml'), notify } as unknown as Config;
  const deps = {
    config,
    data: new Data(dataDir),
    log: pino({ level: 'silent' }),
    linkTo: (id: string, run: string) => `http://ui/${id}/${run}`,
  };
  return deliver(deps, { alert: ALERT, target });
};

describe('the delivery of an alert', () => {
  it('sends an alert once, however often it is started', async () => {
    expect(await send()).toEqual({ outcome: 'sent' });
    expect(await send()).toEqual({ outcome: 'sent before' });
    expect(webhook.arrived).toHaveLength(1);
    expect(JSON.parse(webhook.arrived[0]?.body ?? '')).toMatchObject({ link: 'http://ui/tenders/2026-11-20/r' });
    expect(openDeliveries(dataDir, '2026-11-01')).toEqual([]);
  });

  it('removes records that are older than 90 days, and empty folders', async () => {
    const make = async (date: string, days: number): Promise<void> => {
      const record = { id: `tenders/${date}`, title: '', target: 'hook', attempts: 1, since: '', at: '', error: null };
      await writeDelivery(new Data(dataDir), date, { ...record, state: 'sent', mayHaveArrived: false });
      const at = new Date(Date.now() - days * 86_400_000);
      for (const file of readdirSync(path.join(alertsDir(dataDir), date)))
        utimesSync(path.join(alertsDir(dataDir), date, file), at, at);
      utimesSync(path.join(alertsDir(dataDir), date), at, at);
    };
    await make('2026-01-01', 91);
    await make('2026-01-02', 89);
    await send();
    expect(await readDelivery(new Data(dataDir), { id: 'tenders/2026-01-01', date: '2026-01-01' }, 'hook')).toBeNull();
    expect(
      await readDelivery(new Data(dataDir), { id: 'tenders/2026-01-02', date: '2026-01-02' }, 'hook'),
    ).toMatchObject({
      state: 'sent',
    });
    expect(existsSync(path.join(alertsDir(dataDir), '2026-01-01'))).toBe(false);
    expect(await send()).toEqual({ outcome: 'sent before' });
  });

  it('records each failed attempt, and forgets the error when a later one succeeds', async () => {
    await webhook.close();
    await expect(send()).rejects.toMatchObject({ type: 'AlertNotSent', retryable: true });
    await expect(send()).rejects.toThrow(/refused the connection/);
    const [open, ...others] = openDeliveries(dataDir, '2026-11-01');
    expect(open).toMatchObject({ state: 'failed', attempts: 2, error: expect.stringMatching(/refused/) as string });
    expect(others).toEqual([]);
    expect(openDeliveries(dataDir, '2026-11-21')).toEqual([]);
    await webhook.open();
    expect(await send()).toEqual({ outcome: 'sent' });
    expect(await readDelivery(new Data(dataDir), ALERT, 'hook')).toMatchObject({
      state: 'sent',
      attempts: 3,
      error: null,
    });
  });

  it('marks a message as possibly repeated after an attempt without an end', async () => {
    const at = new Date().toISOString();
    const killed = {
      id: ALERT.id,
      title: ALERT.title,
      target: 'hook',
      state: 'sending' as const,
      attempts: 1,
      since: at,
      at,
      error: null,
      mayHaveArrived: false,
    };
    await writeDelivery(new Data(dataDir), ALERT.date, killed);
    await send('hook', 'slack');
    expect(
      z.looseObject({ blocks: z.array(z.unknown()) }).parse(JSON.parse(webhook.arrived[0]?.body ?? '')).blocks[2],
    ).toMatchObject({
      elements: [{ text: expect.stringMatching(/may have arrived before/) as string }],
    });
  });

  it('marks a message as possibly repeated after attempts without an answer', async () => {
    const remark = (body: string): unknown =>
      z.looseObject({ blocks: z.array(z.unknown()) }).parse(JSON.parse(body)).blocks[2];
    webhook.mute();
    await expect(send('hook', 'slack')).rejects.toThrow(/did not answer in time/);
    await webhook.close();
    await expect(send('hook', 'slack')).rejects.toThrow(/refused the connection/);
    await webhook.open();
    webhook.release();
    await send('hook', 'slack');
    expect(JSON.stringify(remark(webhook.arrived[0]?.body ?? ''))).not.toMatch(/may have arrived before/);
    expect(JSON.stringify(remark(webhook.arrived.at(-1)?.body ?? ''))).toMatch(/may have arrived before/);
  });

  it('sends nothing to a target that is no longer declared', async () => {
    expect(await send('gone')).toEqual({ outcome: 'not declared' });
    expect(webhook.arrived).toEqual([]);
  });
});
