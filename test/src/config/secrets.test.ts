import { expect, it } from 'vitest';
import { environmentSecrets, hideSecrets } from '../../../src/config/secrets.js';

const KEY = 'tk_0123456789abcdef';

it.each([
  'TIDEMARK_API_KEY',
  'TIDEMARK_WEBHOOK_SECRET',
  'TEMPORAL_API_KEY',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
])('hides %s with or without surrounding spaces', (name) => {
  const secrets = environmentSecrets({ [name]: ` ${KEY}\n` });
  expect(secrets).toHaveLength(1);
  expect(hideSecrets(`before ${KEY} after`, secrets)).toMatch(/^before (?!.*0123456789).* after$/);
});

it.each(['HTTPS_PROXY', 'http_proxy'])('hides the password of the proxy in %s', (name) => {
  const secrets = environmentSecrets({ [name]: `http://user:${KEY}%40@proxy.example:3128` });
  expect(hideSecrets(`before ${KEY}@ and ${KEY}%40 after`, secrets)).not.toContain('0123456789');
});

it('hides several secrets in one text', () => {
  const env = { TIDEMARK_API_KEY: `${KEY}-1`, TIDEMARK_WEBHOOK_SECRET: `${KEY}-2`, TEMPORAL_API_KEY: `${KEY}-3` };
  const shown = hideSecrets(`${KEY}-1 ${KEY}-2 ${KEY}-3`, environmentSecrets(env));
  expect(shown).not.toContain('0123456789');
});

it('does not hide a short secret of a test service, which is a word of other texts', () => {
  expect(environmentSecrets({ AWS_SECRET_ACCESS_KEY: 'test' })).toEqual([]);
});

it('hides nothing without secrets or a readable key file', () => {
  expect(environmentSecrets({})).toEqual([]);
  expect(environmentSecrets({ TIDEMARK_API_KEY_FILE: '/nowhere/key' })).toEqual([]);
});
