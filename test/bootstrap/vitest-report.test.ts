import fc from 'fast-check';
import { expect, it } from 'vitest';
import { countTests } from '../../bootstrap/vitest-report.mjs';

const file = (status: string, ...tests: string[]): object => ({
  status,
  assertionResults: tests.map((test) => ({ status: test })),
});
const report = (passed: number, failed: number, testResults: object[]): string =>
  JSON.stringify({ numPassedTests: passed, numFailedTests: failed, testResults });

it.each([
  ['all green', report(3, 0, [file('passed', 'passed')]), 0, { passed: 3, failed: 0, skipped: 0 }],
  ['a failed test', report(2, 1, [file('failed', 'passed', 'failed')]), 1, { passed: 2, failed: 1, skipped: 0 }],
  [
    'a file that cannot be loaded',
    report(2, 0, [file('failed'), file('passed')]),
    1,
    { passed: 2, failed: 1, skipped: 0 },
  ],
  ['both', report(2, 1, [file('failed'), file('failed', 'failed')]), 1, { passed: 2, failed: 2, skipped: 0 }],
  ['an unhandled error', report(2, 0, [file('passed')]), 1, { passed: 2, failed: 1, skipped: 0 }],
  ['no test found', report(0, 0, []), 1, { passed: 0, failed: 1, skipped: 0 }],
  ['killed after the report', report(2, 0, [file('passed')]), null, { passed: 2, failed: 1, skipped: 0 }],
  ['no report', undefined, 0, { passed: 0, failed: 1, skipped: 0 }],
  ['half a report', report(2, 0, []).slice(0, 20), 0, { passed: 0, failed: 1, skipped: 0 }],
  ['something else', '{}', 0, { passed: 0, failed: 1, skipped: 0 }],
  [
    'skipped tests',
    JSON.stringify({ numPassedTests: 1, numFailedTests: 0, numPendingTests: 2, testResults: [file('passed')] }),
    0,
    { passed: 1, failed: 0, skipped: 2 },
  ],
])('counts %s in a Vitest report', (_name, json, code, counted) => {
  expect(countTests(json, code)).toEqual(counted);
});

it('never reports a failed run without a failure', () => {
  const anyFile = fc.record({
    status: fc.constantFrom('passed', 'failed'),
    assertionResults: fc.array(fc.record({ status: fc.constantFrom('passed', 'failed', 'skipped') })),
  });
  fc.assert(
    fc.property(
      fc.nat(),
      fc.nat(),
      fc.array(anyFile),
      fc.constantFrom(0, 1, 130, null),
      (passed, failed, files, code) => {
        const counted = countTests(report(passed, failed, files), code);
        if (code !== 0 || failed > 0) expect(counted.failed).toBeGreaterThan(0);
      },
    ),
  );
});
