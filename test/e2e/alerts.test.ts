import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Alert } from '../../schemas/pipeline/alert.js';
import type { Progress } from '../../schemas/pipeline/run.js';
import { startMailServer, startWebhook, type AlertTarget } from '../helpers/alert-targets.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';

const COMPANIES = 120;
const MARKETS = ['failing', 'short', 'waiting', 'killed', 'answered', 'down', 'late'];
const SECRETS = { header: 'Bearer hook-secret-4711', password: 'mail-password-4711' };
const PERMISSIONS = ['prospecting', 'company_details', 'financials', 'tenders', 'watching'] as const;
const DAY_MS = 86_400_000;

const textOf = (base64: string): string => Buffer.from(base64, 'base64').toString();

// Real servers: Temporal, API, HTTP and SMTP. Workers are killed.
describe('alerts about nights', () => {
  let system: System;
  let webhook: AlertTarget;
  let mail: AlertTarget;
  const logins: { user: string | undefined; password: unknown }[] = [];
  const env = {
    TIDEMARK_NOTIFY_HOOK_SECRET: SECRETS.header,
    TIDEMARK_NOTIFY_NIGHT_MAIL_USER: 'tidemark',
    TIDEMARK_NOTIFY_NIGHT_MAIL_PASSWORD: SECRETS.password,
    TIDEMARK_TEMPORAL_UI: 'http://temporal.example.com',
  };

  const today = () => new Date().toISOString().slice(0, 10);
  const start = (market: string) => system.start('marketSnapshot', `snapshot/${market}/${today()}`, { market });
  const ended = (market: string) => system.run('marketSnapshot', `snapshot/${market}/${today()}`, { market });
  const bodies = (market: string, of: 'arrived' | 'accepted' = 'accepted') =>
    webhook[of]
      .map(({ body }) => JSON.parse(body) as Alert & { key: string; link: string })
      .filter((one) => one.market === market);
  const mails = (market: string, of: 'arrived' | 'accepted' = 'accepted') =>
    mail[of].filter(({ headers }) => String(headers['subject']).includes(`Market ${market}`));
  const delivered = (market: string, times = 1) =>
    waitUntil(
      `both targets got the alert of ${market}`,
      async () => bodies(market).length >= times && mails(market).length >= times,
    );
  /** Waits until no delivery is open, so that a repeated message would have been seen. */
  const settled = () =>
    waitUntil('no delivery is open', async () => {
      const query = "WorkflowType = 'notify' AND ExecutionStatus = 'Running'";
      for await (const _ of system.temporal.client.workflow.list({ query })) return false;
      return true;
    });

  beforeAll(async () => {
    webhook = await startWebhook();
    mail = await startMailServer({
      onAuth({ username, password }, _session, done) {
        logins.push({ user: username, password });
        done(null, { user: username });
      },
      // The server is on this machine, so a password without encryption is allowed.
      allowInsecureAuth: true,
    });
    system = await startSystem({
      market: { companies: COMPANIES, tenders: 1, seed: 3 },
      config: {
        quota: { probeEvery: '1s', alertAfter: '2s' },
        markets: MARKETS.map((name) => ({
          name,
          streams: ['companies'],
          ...(name === 'late' ? { schedule: { cron: '0 * * * *' } } : {}),
        })),
        notify: [
          { name: 'hook', webhook: `http://127.0.0.1:${webhook.port}/alerts` },
          {
            name: 'night-mail',
            mail: {
              host: '127.0.0.1',
              port: mail.port,
              tls: 'none',
              from: 'tidemark@example.com',
              to: ['ops@example.com'],
            },
          },
        ],
      },
      worker: env,
    });
  });

  afterEach(async () => {
    webhook.release();
    mail.release();
    await system.api.clearFaults();
    await system.api.allow(...PERMISSIONS);
  });

  afterAll(async () => {
    await system?.stop();
    await webhook?.close();
    await mail?.close();
  });

  it('sends a failed night once to each target, with run, cause and command', async () => {
    await system.api.allow('company_details');
    await expect(ended('failing')).rejects.toThrow(/Workflow execution failed/);
    await delivered('failing');
    const [alert] = bodies('failing');
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
    expect(webhook.accepted[0]?.headers.authorization).toBe(SECRETS.header);
    expect(logins).toContainEqual({ user: 'tidemark', password: SECRETS.password });
    expect(mails('failing')[0]?.key).toMatch(/^<[0-9a-f]{32}@example\.com>$/);
    // The same night fails again in the same way.
    await expect(ended('failing')).rejects.toThrow(/Workflow execution failed/);
    await settled();
    expect([bodies('failing', 'arrived').length, mails('failing', 'arrived').length]).toEqual([1, 1]);
  });

  it('sends a partial night once, with the number of missing companies', async () => {
    await system.api.addToTotals(40);
    expect((await ended('short')).outcome).toBe('partial');
    await delivered('short');
    expect(bodies('short')[0]).toMatchObject({ cause: 'partial', id: `snapshot/short/${today()}/partial` });
    expect(bodies('short')[0]?.facts[0]).toBe('40 of 160 companies missing; 120 found.');
    expect(mails('short')[0]?.body).toContain('40 of 160 companies missing');
    expect((await ended('short')).outcome).toBe('partial');
    await settled();
    expect([bodies('short', 'arrived').length, mails('short', 'arrived').length]).toEqual([1, 1]);
  });

  it('sends one alert for a run that waits for quota, and the run still completes', async () => {
    await system.api.setQuota({ dailyLimit: 1 });
    const run = await start('waiting');
    await delivered('waiting');
    expect(bodies('waiting')[0]).toMatchObject({ cause: 'quota', id: `snapshot/waiting/${today()}/quota/wait` });
    expect((await run.query<Progress>('progress')).phase).toBe('waiting-for-quota');
    await system.api.setQuota({ dailyLimit: 1_000_000 });
    expect(await run.result()).toMatchObject({ outcome: 'complete' });
    await settled();
    expect([bodies('waiting', 'arrived').length, mails('waiting', 'arrived').length]).toEqual([1, 1]);
  });

  it('delivers once when the worker is killed before the targets accepted', async () => {
    webhook.hold();
    mail.hold();
    await system.api.addToTotals(40);
    await ended('killed');
    await waitUntil(
      'both targets hold the alert',
      async () => bodies('killed', 'arrived').length > 0 && mails('killed', 'arrived').length > 0,
    );
    await system.worker.stop('SIGKILL');
    webhook.release();
    mail.release();
    expect([bodies('killed').length, mails('killed').length]).toEqual([0, 0]);
    await system.startWorker(env);
    await delivered('killed');
    await settled();
    expect([bodies('killed').length, mails('killed').length]).toEqual([1, 1]);
    // Each attempt has the same key, by which a target recognises a repeated message.
    expect(new Set(bodies('killed', 'arrived').map(({ key }) => key)).size).toBe(1);
    expect(new Set(mails('killed', 'arrived').map(({ key }) => key)).size).toBe(1);
  });

  it('repeats a message with its key when the worker is killed after the target accepted', async () => {
    webhook.mute();
    mail.mute();
    await system.api.addToTotals(40);
    await ended('answered');
    await delivered('answered');
    await system.worker.stop('SIGKILL');
    webhook.release();
    mail.release();
    await system.startWorker(env);
    await settled();
    // The target cannot know that the worker did not get its answer. It recognises the second message by the key.
    expect([bodies('answered', 'arrived').length, mails('answered', 'arrived').length]).toEqual([2, 2]);
    expect([bodies('answered').length, mails('answered').length]).toEqual([1, 1]);
  });

  it('retries a target that is down without delaying the night, and shows it in status', async () => {
    await webhook.close();
    await system.api.addToTotals(40);
    expect((await ended('down')).outcome).toBe('partial');
    await waitUntil('the mail arrives', async () => mails('down').length > 0);
    await waitUntil('status shows the failed attempt', async () =>
      /"Market down.*is not sent to hook .*ECONNREFUSED/s.test((await system.tidemark('status')).stdout),
    );
    await webhook.open();
    await delivered('down');
    await settled();
    expect([bodies('down', 'arrived').length, mails('down', 'arrived').length]).toEqual([1, 1]);
    expect((await system.tidemark('status')).stdout).not.toContain('is not sent');
  });

  it('sends one alert for a scheduled night that never started', async () => {
    const applied = await system.tidemark('schedule', 'apply');
    expect(applied.stdout).toMatch(/created +tidemark\/late-nights/);
    expect((await system.tidemark('schedule', 'apply')).stdout).toMatch(/unchanged +tidemark\/late-nights/);
    await system.tidemark('schedule', 'pause', 'snapshot/late');
    // Two days later by the worker's clock.
    await system.worker.stop();
    await system.startWorker({ ...env, TIDEMARK_NOW: new Date(Date.now() + 2 * DAY_MS).toISOString() });
    const night = new Date(Date.now() + 2 * DAY_MS - DAY_MS / 2).toISOString().slice(0, 10);
    for (let time = 1; time <= 2; time++) {
      const check = await system.start('checkNights', `late-nights/test-${time}`);
      expect(await check.result()).toEqual({ late: [`snapshot/late/${night}/late`] });
    }
    await delivered('late');
    await settled();
    expect([bodies('late', 'arrived').length, mails('late', 'arrived').length]).toEqual([1, 1]);
    expect(bodies('late')[0]?.facts).toContain('No run started: the schedule is paused.');
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
      expect(text).not.toContain('4711');
      expect(text).not.toContain('ops@example.com');
    }
  });
});
