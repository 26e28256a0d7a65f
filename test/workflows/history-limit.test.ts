import { expect, it } from 'vitest';
import { isHistoryLong } from '../../workflows/history-limit.js';

it.each([
  [2_000, false, {}, false],
  [2_001, false, {}, true],
  [40, false, { eventsPerRun: 40 }, false],
  [41, false, { eventsPerRun: 40 }, true],
  [4, true, {}, true],
])('after %i events (suggested: %j, limits: %j) continues as new: %j', (historyLength, suggested, ctx, expected) => {
  expect(isHistoryLong({ historyLength, continueAsNewSuggested: suggested }, ctx)).toBe(expected);
});
