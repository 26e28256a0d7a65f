import { expect, it } from 'vitest';
import { rateOf } from '../../bench/workers/rate.js';

it('counts neither the time before the first answer nor the time after the last', () => {
  const counts = [0, 0, 10, 60, 110, 110, 110].map((answered, i) => ({ at: 100 * i, answered }));
  expect(rateOf(counts)).toBe(500);
});

it('refuses counts without time between them', () => {
  expect(() => rateOf([{ at: 5, answered: 3 }])).toThrow('too few counts');
});
