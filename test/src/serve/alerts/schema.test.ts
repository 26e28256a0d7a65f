import { describe, expect, it } from 'vitest';
import { CAUSES } from '../../../../schemas/pipeline/cause.js';
import { NotifySchema } from '../../../../src/config/notify-schema.js';

const MAIL = { host: 'smtp://smtp.example.com:587', from: 'a@example.com', to: ['b@example.com'] };
const HOOK = 'https://hooks.example.com/x';

function faultsOf(targets: object[]): string {
  const parsed = NotifySchema.safeParse(targets);
  return parsed.error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('\n') ?? 'none';
}

describe('the section notify', () => {
  it('names unnamed targets by their kind, and gives them all causes', () => {
    const targets = NotifySchema.parse([
      { webhook: HOOK },
      { webhook: 'env' },
      { name: 'webhook-2', command: ['x'] },
      { mail: MAIL, on: ['late'] },
    ]);
    expect(targets.map(({ name }) => name)).toEqual(['webhook', 'webhook-3', 'webhook-2', 'mail']);
    expect(targets[0]?.on).toEqual(CAUSES);
    expect(targets[3]).toMatchObject({ on: ['late'], mail: MAIL });
  });

  it.each([
    [{}, /^0: must have one of webhook, mail and command; it has none of them/],
    [{ webhook: HOOK, mail: MAIL }, /it has webhook and mail/],
    [{ webhook: 'hooks.example.com' }, /0\.webhook: must be an http\(s\) address/],
    [{ webhook: 'https://u:p@hooks.example.com' }, /must not contain a user.*write "env".*_URL/],
    [{ webhook: `${HOOK}?sig=1` }, /must not contain a user/],
    [{ mail: MAIL, template: 'slack' }, /0\.template: only a target with `webhook`/],
    [{ mail: { ...MAIL, to: [] } }, /0\.mail\.to/],
    [{ mail: { ...MAIL, from: 'me' } }, /0\.mail\.from: must be a mail address/],
    [{ webhook: HOOK, on: ['often'] }, /0\.on\.0/],
  ])('refuses the target %o', (target, fault) => {
    expect(faultsOf([target])).toMatch(fault);
  });

  it.each([
    'smtp.example.com',
    'smtp://u:s3cr3t@x',
    'https://x',
    'smtp://',
    'smtp://x/y',
    'smtp://x:y',
    'smtp://x:99999',
  ])('refuses the mail server %s without repeating it', (host) => {
    expect(faultsOf([{ mail: { ...MAIL, host } }])).toMatch(/^0\.mail\.host: must be smtp:\/\/host:port or smtps:\/\//);
    expect(faultsOf([{ mail: { ...MAIL, host } }])).not.toContain('s3cr3t');
  });

  it.each(['smtp://127.0.0.1:1025', 'smtps://smtp.example.com', 'smtp://[::1]', 'SMTPS://x:465'])(
    'accepts the mail server %s',
    (host) => expect(faultsOf([{ mail: { ...MAIL, host } }])).toBe('none'),
  );

  it('does not repeat a wrong address, which may hold a secret', () => {
    expect(faultsOf([{ webhook: 'https://hooks.example.com/x?sig=s3cr3t' }])).not.toContain('s3cr3t');
  });

  it('refuses two targets that would share their variables', () => {
    const two = (a: string, b: string) =>
      faultsOf([
        { name: a, webhook: HOOK },
        { name: b, webhook: HOOK },
      ]);
    expect(two('ops', 'ops')).toBe('1.name: two targets have the name ops');
    expect(two('ops-a', 'ops_a')).toMatch(/ops-a and ops_a would share the variables TIDEMARK_NOTIFY_OPS_A_…/);
  });
});
