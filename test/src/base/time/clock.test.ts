import { expect, it } from 'vitest';
import { createClock } from '../../../../src/base/time/clock.js';

it.each([undefined, ''])("uses the machine's clock when TIDEMARK_NOW is %j", (text) => {
  const before = Date.now();
  const now = createClock({ TIDEMARK_NOW: text }).now().getTime();
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
});
