import { expect, it } from 'vitest';

import { readPayeeDecision } from '../../../../src/api/index.js';

it.each<[unknown, ReturnType<typeof readPayeeDecision>]>([
  [{ id: 1, decision: 'OK_TO_PAY' }, 'OK_TO_PAY'],
  [{ data: { Decision: 'do-not pay' } }, 'DO_NOT_PAY'],
  [{ decision: 'OK_TO_PAY', steps: [{ decision: 'DO_NOT_PAY' }] }, 'OK_TO_PAY'],
  [{ result: [{ verdict: 'review before paying' }] }, 'REVIEW_BEFORE_PAYING'],
  [['OK_TO_PAY'], 'OK_TO_PAY'],
  ['OK_TO_PAY', 'OK_TO_PAY'],
  [{ a: 'OK_TO_PAY', b: 'DO_NOT_PAY' }, null],
  [{ decision: 'MAYBE', verdict: 'OK_TO_PAY' }, null],
  [{ decision: null }, null],
  [null, null],
])('reads the decision of %j', (answer, decision) => {
  expect(readPayeeDecision(answer)).toBe(decision);
});
