import { expect, it } from 'vitest';
import { devServerEnvironment } from '../../../../src/cli/local/dev-server.js';

it('names a user for the dev server if the environment names none, and passes no secret on', () => {
  const env = devServerEnvironment({ PATH: '/bin', HOME: '/', TIDEMARK_API_KEY: 'a-secret-key' });
  expect(env).toEqual({ PATH: '/bin', HOME: '/', USER: 'tidemark' });
  expect(devServerEnvironment({ USER: 'ann', HOME: '/home/ann' })).toEqual({ USER: 'ann', HOME: '/home/ann' });
  expect(devServerEnvironment({ USER: '' })).toEqual({ USER: 'tidemark', HOME: '/' });
});
