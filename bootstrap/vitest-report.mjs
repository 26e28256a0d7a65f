/**
 * What vitest's JSON reporter writes, as far as it matters here.
 * @typedef {object} VitestReport
 * @property {number} numPassedTests
 * @property {number} numFailedTests
 * @property {number} [numPendingTests] skipped ones
 * @property {{ status: string, assertionResults: { status: string }[] }[]} testResults one per file
 */

/**
 * Counts the tests of a vitest run. A file that could not be loaded, or a run that failed without a failed test (an
 * unhandled error, no tests found), counts as one failed test; so does a run that left no report (it crashed).
 *
 * @param {string | undefined} json the report's text; undefined when there is none
 * @param {number | null} exitCode vitest's; null when a signal ended it
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
