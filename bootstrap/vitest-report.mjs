/**
 * The report of vitest's JSON reporter, with only the fields that this file uses.
 *
 * @typedef {object} VitestReport
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} [numPendingTests] skipped tests
 * @property {{ status: string, assertionResults: { status: string }[] }[]} testResults one per file
 */

/**
 * Counts the tests of a vitest run. Adds one failed test for each of these faults:
 * - a file that could not be loaded
 * - a run that failed although no test failed (an unhandled error, no tests found)
 * - a run without a report (a crash)
 *
 * @param {string | undefined} json the report's text; undefined when there is none
 * @param {number | null} exitCode vitest's exit code; null when a signal ended it
 * @returns {{ passed: number, failed: number, skipped: number }}
 */
export function countTests(json, exitCode) {
  const report = parseReport(json);
  if (report === undefined) return { passed: 0, failed: 1, skipped: 0 };
  const brokenFiles = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  ).length;
  const failed = report.numFailedTests + brokenFiles;
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: report.numPendingTests ?? 0,
  };
}

/**
 * @param {string | undefined} json
 * @returns {VitestReport | undefined}
 */
function parseReport(json) {
  try {
    const report = JSON.parse(json ?? '');
    const whole =
      Number.isInteger(report.numPassedTests) &&
      Number.isInteger(report.numFailedTests) &&
      Array.isArray(report.testResults);
    return whole ? report : undefined;
  } catch {
    return undefined;
  }
}
