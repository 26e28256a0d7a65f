import { expect, test } from 'vitest';
import { LimitError, type ApiErrorContext } from '../../../../src/api/errors.js';
import { isLimitedAlone } from '../../../../src/crawl/judge/limited-alone.js';

const context: ApiErrorContext = {
  endpoint: 'GET /v2/x',
  requestKey: 'GET /v2/x',
  status: 429,
  body: '',
  fetchedAt: '2026-11-20T00:00:00.000Z',
  attempts: 1,
};
const OUTCOMES = {
  answered: () => Promise.resolve(null),
  limited: () => Promise.reject(new LimitError(context, 'limit', null, 'slower')),
  failed: () => Promise.reject(new Error('reset')),
};
type Outcome = keyof typeof OUTCOMES;

test.each<[again: Outcome[], another: Outcome[], expected: boolean]>([
  [['limited', 'limited', 'limited'], ['answered', 'answered', 'answered'], true],
  [['limited', 'limited', 'answered'], ['answered', 'answered', 'answered'], false],
  [['limited', 'answered'], ['answered', 'answered'], false],
  [['limited', 'failed'], ['answered', 'answered'], false],
  [['limited', 'limited'], ['answered', 'answered', 'limited'], false],
  [[], ['limited'], false],
  [[], ['failed'], false],
])('finds a call limited alone (its answers %j, others %j): %s', async (again, another, expected) => {
  const script = (outcomes: Outcome[]) => () => OUTCOMES[outcomes.shift() ?? 'failed']();
  const [first, second] = [[...again], [...another]];
  expect(await isLimitedAlone(script(first), script(second))).toBe(expected);
  expect([first, second]).toEqual([[], []]);
});
