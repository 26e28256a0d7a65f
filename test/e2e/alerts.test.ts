import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ALERT_SECRETS, startAlertSystem, type AlertSystem } from '../helpers/alert-system.js';
import { waitUntil } from '../helpers/sandbox.js';

const MARKETS = ['failing', 'short', 'answered', 'down', 'late'];
const PERMISSIONS = ['prospecting', 'company_details', 'financials', 'tenders', 'watching'] as const;
const DAY_MS = 86_400_000;

const textOf = (base64: string): string => Buffer.from(base64, 'base64').toString();

// Real servers: Temporal, API, HTTP and SMTP. Workers are killed.
describe('alerts about nights', () => {
  let system: AlertSystem;

  const today = () => new Date().toISOString().slice(0, 10);
  const ended = (market: string) => system.run('marketSnapshot', `snapshot/${market}/${today()}`, { market });

  beforeAll(async () => {
    system = await startAlertSystem({
      markets: MARKETS.map((name) => ({
        name,
        streams: ['companies'],
        ...(name === 'late' ? { schedule: { cron: '0 * * * *' } } : {}),
      })),
    });
  });

  afterEach(async () => {
    system.webhook.release();
    system.mail.release();
    await system.api.clearFaults();
    await system.api.allow(...PERMISSIONS);
  });

  afterAll(async () => {
    await system?.stop();
  });

  it('sends a failed night once to each target, with run, cause and command', async () => {
    await system.api.allow('company_details');
    await expect(ended('failing')).rejects.toThrow(/Workflow execution failed/);
    await system.delivered('failing');
    const [alert] = system.bodies('failing');
    expect(alert).toMatchObject({
      id: `snapshot/failing/${today()}/failed/PermissionDenied`,
      cause: 'failed',
      date: today(),
      title: `Market failing, night of ${today()}: the run failed`,
    });
    expect(alert?.facts[0]).toMatch(/^prospecting: .*Ask the issuer of the API key/);
    expect(alert?.todo).toContain('tidemark snapshot --market failing');
    expect(alert?.link).toBe(
      `http://temporal.example.com/namespaces/default/workflows/${encodeURIComponent(`snapshot/failing/${today()}`)}/${alert?.run}/history`,
    );
    expect(system.webhook.accepted[0]?.headers.authorization).toBe(ALERT_SECRETS.header);
    expect(system.logins).toContainEqual({ user: 'tidemark', password: ALERT_SECRETS.password });
    expect(system.mails('failing')[0]?.key).toMatch(/^<[0-9a-f]{32}@example\.com>$/);
    // The same night fails again in the same way.
    await expect(ended('failing')).rejects.toThrow(/Workflow execution failed/);
    await system.settled();
    expect(system.counts('failing', 'arrived')).toEqual([1, 1]);
  });

  it('sends a partial night once, with the number of missing companies', async () => {
    await system.api.addToTotals(40);
    expect((await ended('short')).outcome).toBe('partial');
    await system.delivered('short');
    expect(system.bodies('short')[0]).toMatchObject({ cause: 'partial', id: `snapshot/short/${today()}/partial` });
    expect(system.bodies('short')[0]?.facts[0]).toBe('40 of 160 companies missing; 120 found.');
    expect(system.mails('short')[0]?.body).toContain('40 of 160 companies missing');
    expect((await ended('short')).outcome).toBe('partial');
    await system.settled();
    expect(system.counts('short', 'arrived')).toEqual([1, 1]);
  });

  it('repeats a message with its key when the worker is killed after the target accepted', async () => {
    system.webhook.mute();
    system.mail.mute();
    await system.api.addToTotals(40);
    await ended('answered');
    await system.delivered('answered');
    await system.worker.stop('SIGKILL');
    system.webhook.release();
    system.mail.release();
    await system.startAlertWorker();
    await system.settled();
    // The target cannot know that the worker did not get its answer. It recognises the second message by the key.
    expect(system.counts('answered', 'arrived')).toEqual([2, 2]);
    expect(system.counts('answered')).toEqual([1, 1]);
  });

  it('retries a target that is down without delaying the night, and shows it in status', async () => {
    await system.webhook.close();
    await system.api.addToTotals(40);
    expect((await ended('down')).outcome).toBe('partial');
    await waitUntil('the mail arrives', async () => system.mails('down').length > 0);
    await waitUntil('status shows the failed attempt', async () =>
      /"Market down.*is not sent to hook .*ECONNREFUSED/s.test((await system.tidemark('status')).stdout),
    );
    await system.webhook.open();
    await system.delivered('down');
    await system.settled();
    expect(system.counts('down', 'arrived')).toEqual([1, 1]);
    expect((await system.tidemark('status')).stdout).not.toContain('is not sent');
  });

  it('sends one alert for a scheduled night that never started', async () => {
    const applied = await system.tidemark('schedule', 'apply');
    expect(applied.stdout).toMatch(/created +tidemark\/late-nights/);
    expect((await system.tidemark('schedule', 'apply')).stdout).toMatch(/unchanged +tidemark\/late-nights/);
    await system.tidemark('schedule', 'pause', 'snapshot/late');
    // Two days later by the worker's clock.
    await system.worker.stop();
    await system.startAlertWorker({ TIDEMARK_NOW: new Date(Date.now() + 2 * DAY_MS).toISOString() });
    const night = new Date(Date.now() + 2 * DAY_MS - DAY_MS / 2).toISOString().slice(0, 10);
    for (let time = 1; time <= 2; time++) {
      const check = await system.start('checkNights', `late-nights/test-${time}`);
      expect(await check.result()).toEqual({ late: [`snapshot/late/${night}/late`] });
    }
    await system.delivered('late');
    await system.settled();
    expect(system.counts('late', 'arrived')).toEqual([1, 1]);
    expect(system.bodies('late')[0]?.facts).toContain('No run started: the schedule is paused.');
  });

  it('keeps secrets out of logs, Temporal and the data folder', async () => {
    const seen = [system.worker.output(), (await system.tidemark('notify', 'list', '--json')).stdout];
    for await (const { workflowId, runId } of system.temporal.client.workflow.list({
      query: "WorkflowType = 'notify'",
    })) {
      const history = await system.temporal.client.workflow.getHandle(workflowId, runId).fetchHistory();
      // Payloads are base64.
      seen.push(JSON.stringify(history).replaceAll(/"data":"([^"]+)"/g, (_, data: string) => textOf(data)));
    }
    expect(seen.length).toBeGreaterThan(5);
    expect(seen.at(-1)).toContain('night-mail');
    const folder = path.join(system.project.dataDir, 'alerts');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.json'));
    expect(files.length).toBeGreaterThan(5);
    seen.push(...files.map((name) => readFileSync(path.join(folder, name), 'utf8')));
    for (const text of seen) {
      expect(text).not.toMatch(/(secret|password)-4711/);
      expect(text).not.toContain('ops@example.com');
    }
  });
});
