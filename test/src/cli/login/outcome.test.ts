import { describe, expect, it } from 'vitest';
import { readOutcome } from '../../../../src/cli/login/outcome.js';

describe('the end of a sign-in', () => {
  it.each([
    [{ state: 's', api_key: 'k-1' }],
    [{ session: 's', token: ' k-1\n' }],
    [{ access_token: 'k-1', token_type: 'bearer' }],
    [{ body: { data: { apiKey: 'k-1' } } }],
    [{ api_key: '', key: 'k-1' }],
  ])('takes the key from %j', (answer) => {
    expect(readOutcome(answer)).toEqual({ kind: 'key', key: 'k-1' });
  });

  it.each([[{ code: 'c', state: 's' }], [{ session: 's' }], [{ api_key: 5 }], [{}], [null], ['text']])(
    'finds no key in %j',
    (answer) => {
      expect(readOutcome(answer)).toEqual({ kind: 'signed-in' });
    },
  );

  it('reports a refusal, also if a key came with it', () => {
    const refused = { kind: 'refused', reason: 'access_denied' };
    expect(readOutcome({ error: 'access_denied', state: 's' })).toEqual(refused);
    expect(readOutcome({ error: 'access_denied', api_key: 'k-1' })).toEqual(refused);
  });

  it('ignores inherited properties and deep nesting', () => {
    let deep: object = { api_key: 'k-1' };
    for (let level = 0; level < 2_000; level++) deep = { deep };
    expect(readOutcome(deep)).toEqual({ kind: 'signed-in' });
    expect(readOutcome(Object.create({ api_key: 'k-1' }))).toEqual({ kind: 'signed-in' });
  });
});
