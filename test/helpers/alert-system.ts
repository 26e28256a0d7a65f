import type { Alert } from '../../schemas/pipeline/alert.js';
import { startMailServer, startWebhook, type AlertTarget } from './alert-targets.js';
import { waitUntil } from './sandbox.js';
import { startSystem, type System } from './system.js';

/** Secrets of the targets that `startAlertSystem` declares. */
export const ALERT_SECRETS = { header: 'Bearer hook-secret-4711', password: 'mail-password-4711' };

const ENV = {
  TIDEMARK_NOTIFY_HOOK_SECRET: ALERT_SECRETS.header,
  TIDEMARK_NOTIFY_NIGHT_MAIL_USER: 'tidemark',
  TIDEMARK_NOTIFY_NIGHT_MAIL_PASSWORD: ALERT_SECRETS.password,
  TIDEMARK_TEMPORAL_UI: 'http://temporal.example.com',
};

/** Which messages to count: all that arrived, or those that the target accepted. */
type Of = 'arrived' | 'accepted';

/** A system whose alerts go to a web service (target `hook`) and a mail server (target `night-mail`). */
export interface AlertSystem extends System {
  webhook: AlertTarget;
  mail: AlertTarget;
  /** Logins at the mail server. */
  logins: { user: string | undefined; password: unknown }[];
  /** Alerts of a market in the web service. */
  bodies(market: string, of?: Of): (Alert & { key: string; link: string })[];
  /** Alerts of a market in the mail server. */
  mails(market: string, of?: Of): AlertTarget['accepted'];
  /** How often a market's alerts are in each target: `[web service, mail server]`. */
  counts(market: string, of?: Of): [number, number];
  /** Waits until both targets accepted an alert of the market. */
  delivered(market: string): Promise<void>;
  /** Waits until both targets received an alert of the market. */
  arrived(market: string): Promise<void>;
  /** Waits until no delivery is open, so that a repeated message would have been seen. */
  settled(): Promise<void>;
  /** Starts a worker with the secrets of the targets. */
  startAlertWorker(env?: Record<string, string>): Promise<void>;
}

/** Starts Temporal, an API with 120 companies, both targets and a worker. */
export async function startAlertSystem(config: {
  markets: object[];
  [section: string]: unknown;
}): Promise<AlertSystem> {
  const webhook = await startWebhook();
  const logins: AlertSystem['logins'] = [];
  const mail = await startMailServer({
    onAuth({ username, password }, _session, done) {
      logins.push({ user: username, password });
      done(null, { user: username });
    },
    // The server is on this machine, so a password without encryption is allowed.
    allowInsecureAuth: true,
  });
  const closeTargets = async (): Promise<void> => {
    await webhook.close();
    await mail.close();
  };
  let system: System;
  try {
    system = await startSystem({
      market: { companies: 120, tenders: 1, seed: 3 },
      config: {
        quota: { probeEvery: '1s' },
        notify: [
          { name: 'hook', webhook: `http://127.0.0.1:${webhook.port}/alerts` },
          {
            name: 'night-mail',
            mail: {
              host: `smtp://127.0.0.1:${mail.port}`,
              from: 'tidemark@example.com',
              to: ['ops@example.com'],
            },
          },
        ],
        ...config,
      },
      worker: ENV,
    });
  } catch (error) {
    await closeTargets();
    throw error;
  }
  const bodies: AlertSystem['bodies'] = (market, of = 'accepted') =>
    webhook[of]
      .map(({ body }) => JSON.parse(body) as Alert & { key: string; link: string })
      .filter((one) => one.market === market);
  const mails: AlertSystem['mails'] = (market, of = 'accepted') =>
    mail[of].filter(({ headers }) => String(headers['subject']).includes(`Market ${market},`));
  const counts: AlertSystem['counts'] = (market, of) => [bodies(market, of).length, mails(market, of).length];
  const stop = system.stop.bind(system);
  return Object.assign(system, {
    webhook,
    mail,
    logins,
    bodies,
    mails,
    counts,
    delivered: (market: string) =>
      waitUntil(`both targets accepted the alert of ${market}`, async () => counts(market).every((count) => count > 0)),
    arrived: (market: string) =>
      waitUntil(`both targets received the alert of ${market}`, async () =>
        counts(market, 'arrived').every((count) => count > 0),
      ),
    settled: () =>
      waitUntil('no delivery is open', async () => {
        const query = "WorkflowType = 'notify' AND ExecutionStatus = 'Running'";
        for await (const _ of system.temporal.client.workflow.list({ query })) return false;
        return true;
      }),
    async startAlertWorker(env: Record<string, string> = {}) {
      await system.startWorker({ ...ENV, ...env });
    },
    async stop() {
      await stop();
      await closeTargets();
    },
  });
}
