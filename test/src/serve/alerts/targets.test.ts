import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Alert } from '../../../../schemas/pipeline/alert.js';
import { NotifySchema } from '../../../../src/config/notify-schema.js';
import type { Message } from '../../../../src/serve/alerts/message.js';
import { runCommand } from '../../../../src/serve/alerts/run-command.js';
import { sendMail, type Mailbox } from '../../../../src/serve/alerts/send-mail.js';
import { sendWebhook } from '../../../../src/serve/alerts/send-webhook.js';
import type { TargetError } from '../../../../src/serve/alerts/target-error.js';
import { describeTarget, openTarget } from '../../../../src/serve/alerts/targets.js';
import { startMailServer, startWebhook } from '../../../helpers/alert-targets.js';

const ALERT: Alert = {
  id: 'snapshot/demo/2026-11-20/partial',
  cause: 'partial',
  market: 'demo',
  date: '2026-11-20',
  title: 'Market demo, night of 2026-11-20: partial',
  facts: ['312 of 5,000 companies missing; 4,688 found.', 'A <b> & *c*'],
  todo: 'Run `tidemark coverage`.',
  workflowId: 'snapshot/demo/2026-11-20',
  run: 'r1',
  at: '2026-11-20T03:00:00.000Z',
};
const MESSAGE: Message = { alert: ALERT, key: 'k'.repeat(32), link: 'http://ui.example.com/run', mayRepeat: false };

let folder: string;
const cleanups: (() => unknown)[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'tidemark-notify-'));
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
  rmSync(folder, { recursive: true, force: true });
});

function target(declared: object, env: NodeJS.ProcessEnv = {}) {
  const [parsed] = NotifySchema.parse([{ name: 't', ...declared }]);
  if (!parsed) throw new Error('no target');
  return openTarget(parsed, { file: path.join(folder, 'tidemark.yaml') }, env);
}

async function hook(answer?: { status: number; body: string }) {
  const started = await startWebhook(answer);
  cleanups.push(() => started.close());
  return started;
}

async function mailServer(options: Parameters<typeof startMailServer>[0] = {}) {
  const started = await startMailServer({ allowInsecureAuth: true, ...options });
  cleanups.push(() => started.close());
  const mail = {
    host: `smtp://127.0.0.1:${started.port}`,
    from: 'a@example.com',
    to: ['b@example.com', 'c@example.com'],
  };
  return { ...started, mail };
}

const failure = async (sending: Promise<unknown>): Promise<TargetError> =>
  sending.then(
    () => {
      throw new Error('the target took the message');
    },
    (error: TargetError) => error,
  );

describe('a webhook', () => {
  const link = { type: 'Action.OpenUrl', title: 'Run in Temporal', url: MESSAGE.link };
  const block = (text: string) => ({ type: 'TextBlock', text, wrap: true });
  const PAYLOADS: Record<string, object> = {
    json: { test: false, key: MESSAGE.key, link: MESSAGE.link, ...ALERT },
    slack: {
      text: ALERT.title,
      blocks: [
        { type: 'header', text: { type: 'plain_text', text: ALERT.title } },
        {
          type: 'section',
          text: {
            type: 'mrkdwn',
            text: `${ALERT.facts[0]}\nA &lt;b&gt; &amp; *c*\n*What to do:* Run \`tidemark coverage\`.`,
          },
        },
        { type: 'context', elements: [{ type: 'mrkdwn', text: `<${MESSAGE.link}|Run in Temporal> · ${ALERT.id}` }] },
      ],
    },
    teams: {
      type: 'message',
      attachments: [
        {
          contentType: 'application/vnd.microsoft.card.adaptive',
          contentUrl: null,
          content: {
            $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
            type: 'AdaptiveCard',
            version: '1.4',
            body: [
              { ...block(ALERT.title), weight: 'bolder', size: 'medium' },
              block(ALERT.facts[0] ?? ''),
              block(String.raw`A <b> & \*c\*`),
              block('What to do: Run `tidemark coverage`.'),
              block('Run: workflow snapshot/demo/2026-11-20'),
              block(ALERT.id),
            ],
            actions: [link],
          },
        },
      ],
    },
  };

  it.each(Object.keys(PAYLOADS))('gets the template %s with its key', async (template) => {
    const server = await hook();
    await target({ webhook: `http://127.0.0.1:${server.port}/x`, template }).send(MESSAGE);
    const [got] = server.accepted;
    expect(got?.headers).toMatchObject({
      'idempotency-key': MESSAGE.key,
      'content-type': 'application/json; charset=utf-8',
    });
    expect(got?.headers.authorization).toBeUndefined();
    expect(JSON.parse(got?.body ?? '')).toEqual(PAYLOADS[template]);
  });

  it('says in Slack and Teams that a repeated message may have arrived before', async () => {
    const server = await hook();
    for (const template of ['slack', 'teams'])
      await target({ webhook: `http://127.0.0.1:${server.port}`, template }).send({ ...MESSAGE, mayRepeat: true });
    expect(server.arrived.map(({ body }) => body.includes('may have arrived before'))).toEqual([true, true]);
  });

  it('takes address and secret from variables and files, and shows neither in errors', async () => {
    const server = await hook({ status: 403, body: 'bad token s3cr3t-of-hook for /path-s3cr3t' });
    const file = path.join(folder, 'secret');
    writeFileSync(file, 's3cr3t-of-hook\n');
    const env = {
      TIDEMARK_NOTIFY_T_URL: `http://127.0.0.1:${server.port}/path-s3cr3t`,
      TIDEMARK_NOTIFY_T_SECRET_FILE: file,
    };
    const error = await failure(target({ webhook: 'env', header: 'X-Token' }, env).send(MESSAGE));
    expect(server.arrived[0]?.headers['x-token']).toBe('s3cr3t-of-hook');
    expect(error.message).toBe(`127.0.0.1:${server.port} answered 403: bad token [redacted] for /path-s3cr3t.`);
    expect(error.todo).toMatch(/secret of the target/);
    expect(() => target({ webhook: 'env' })).toThrow(/The target t has no address/);
    expect(() => target({ webhook: 'env' }, { TIDEMARK_NOTIFY_T_URL: 'x' })).toThrow(
      /TIDEMARK_NOTIFY_T_URL is not an http/,
    );
  });

  it('names refused connections, slow answers, redirects and Retry-After', async () => {
    const server = await hook();
    const address = `http://127.0.0.1:${server.port}`;
    server.hold();
    const hurried = { address: new URL(address), template: 'json', secret: null, timeoutMs: 1_000 } as const;
    expect((await failure(sendWebhook(hurried, MESSAGE))).message).toMatch(/did not answer in time/);
    await server.close();
    expect(await failure(target({ webhook: address }).send(MESSAGE))).toMatchObject({
      message: expect.stringMatching(/refused the connection/) as string,
      todo: expect.stringMatching(/Check that it runs/) as string,
    });
    const moved = await hook({ status: 302, body: '' });
    expect((await failure(target({ webhook: `http://127.0.0.1:${moved.port}` }).send(MESSAGE))).todo).toMatch(
      /final address/,
    );
  });

  it('sends no secret over plain http to another machine', () => {
    const env = { TIDEMARK_NOTIFY_T_SECRET: 'x' };
    expect(() => target({ webhook: 'http://hooks.example.com' }, env)).toThrow(/plain http to hooks\.example\.com/);
    expect(() => target({ webhook: 'http://hooks.example.com' })).not.toThrow();
  });
});

describe('a mail server', () => {
  it('gets the message with a stable Message-ID', async () => {
    const server = await mailServer();
    const remark = await target({ mail: server.mail }).send(MESSAGE);
    expect(remark).toBeNull();
    const [got] = server.accepted;
    expect(got?.key).toBe(`<${MESSAGE.key}@example.com>`);
    expect(got?.headers).toMatchObject({
      subject: ALERT.title,
      'auto-submitted': 'auto-generated',
      'x-tidemark-alert': ALERT.id,
    });
    expect(got?.body).toContain('312 of 5,000 companies missing');
    expect(got?.body).toContain('http://ui.example.com/run');
  });

  it('names a wrong password without showing it', async () => {
    const server = await mailServer({
      onAuth: ({ password }, _session, done) => done(new Error(`no such password: ${password}`)),
    });
    const env = { TIDEMARK_NOTIFY_T_USER: 'u', TIDEMARK_NOTIFY_T_PASSWORD: 'pass-s3cr3t' };
    const error = await failure(target({ mail: server.mail }, env).send(MESSAGE));
    expect(error.message).toMatch(/refused the user name or password: 535 .*\[redacted\]/);
    expect(`${error.message} ${error.todo}`).not.toContain('s3cr3t');
    expect(error.todo).toContain('…_PASSWORD');
  });

  it('counts the recipients that the server refused', async () => {
    const server = await mailServer({
      onRcptTo: ({ address }, _session, done) => done(address.startsWith('c') ? new Error('unknown') : null),
    });
    expect(await target({ mail: server.mail }).send(MESSAGE)).toBe('The server refused 1 of 2 recipients.');
    expect(server.accepted).toHaveLength(1);
  });

  it('sends nothing without the encryption that is set', async () => {
    const plain = await mailServer();
    const box = { host: '127.0.0.1', tls: 'starttls', from: 'a@b.cd', to: ['c@d.ef'], login: null, timeoutMs: 9_000 };
    const send = ({ port }: { port: number }) => sendMail({ ...box, port } as Mailbox, MESSAGE);
    expect((await failure(send(plain))).message).toMatch(/no encryption with STARTTLS/);
    // The server's own certificate is not one of a known authority.
    const untrusted = await mailServer({ disabledCommands: [] });
    expect((await failure(send(untrusted))).message).toMatch(/certificate/i);
    expect([plain.arrived, untrusted.arrived]).toEqual([[], []]);
    expect(() => target({ mail: plain.mail }, { TIDEMARK_NOTIFY_T_USER: 'u' })).toThrow(
      /only one of user and password/,
    );
  });

  it('names a server that refuses the connection', async () => {
    const server = await mailServer();
    await server.close();
    const error = await failure(target({ mail: server.mail }).send(MESSAGE));
    expect(error.message).toMatch(/refused the connection/);
  });

  it('gives up on a server that does not answer', async () => {
    const server = await mailServer();
    server.hold();
    const box = { host: '127.0.0.1', port: server.port, tls: 'none', from: 'a@b.cd', to: ['c@d.ef'] } as const;
    const error = await failure(sendMail({ ...box, login: null, timeoutMs: 1_000 }, MESSAGE));
    expect(error.message).toMatch(/did not answer in time/);
    server.release();
  });
});

describe('a program', () => {
  const script = (text: string): string => {
    const file = path.join(folder, 'page.sh');
    writeFileSync(file, `#!/bin/sh\n${text}\n`);
    chmodSync(file, 0o700);
    return './page.sh';
  };

  it('gets the message on stdin and in variables, and no secret', async () => {
    process.env['TIDEMARK_API_KEY'] = 'key-s3cr3t';
    try {
      await target({ command: [script('cat > stdin; env > env; echo "$1" > arg'), '; touch x'] }).send(MESSAGE);
    } finally {
      delete process.env['TIDEMARK_API_KEY'];
    }
    const read = (name: string) => readFileSync(path.join(folder, name), 'utf8');
    expect(JSON.parse(read('stdin'))).toMatchObject({ key: MESSAGE.key, cause: 'partial', test: false });
    expect(read('env')).toMatch(/^TIDEMARK_ALERT_CAUSE=partial$/m);
    expect(read('env')).not.toContain('s3cr3t');
    expect(read('arg')).toBe('; touch x\n');
  });

  it('names exit code and errors, a missing program and the time limit', async () => {
    const message = async (command: string[]) => (await failure(target({ command }).send(MESSAGE))).message;
    expect(await message([script('echo no pager >&2; exit 3')])).toBe('./page.sh ended with exit code 3: no pager.');
    expect(await message(['./none.sh'])).toBe('./none.sh could not be started: not found.');
    const slow = { command: [script('sleep 60 & sleep 60')], folder, timeoutMs: 1_000 } as const;
    expect((await failure(runCommand(slow, MESSAGE))).message).toBe('./page.sh did not end within 1 s.');
  });
});

describe('tidemark notify list', () => {
  it('says which variables hold secrets and which are set', () => {
    const [parsed] = NotifySchema.parse([
      { name: 'night-mail', mail: { host: 'smtps://smtp.example.com', from: 'a@b.cd', to: ['c@d.ef'] } },
    ]);
    if (!parsed) throw new Error('no target');
    expect(
      describeTarget(parsed, { TIDEMARK_NOTIFY_NIGHT_MAIL_USER: 'u', TIDEMARK_NOTIFY_NIGHT_MAIL_PASSWORD_FILE: '/x' }),
    ).toMatchObject({
      kind: 'mail',
      to: 'smtp.example.com, 1 recipient',
      secrets: [
        { variable: 'TIDEMARK_NOTIFY_NIGHT_MAIL_USER', set: true },
        { variable: 'TIDEMARK_NOTIFY_NIGHT_MAIL_PASSWORD', set: true },
      ],
    });
  });
});
