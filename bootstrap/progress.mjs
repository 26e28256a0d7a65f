/**
 * Logs every few seconds that a long task is still running, with the time so far.
 *
 * @param {(line: string) => void} log
 * @param {() => string} describe returns the text, such as `Installing packages`
 * @param {{ everyMs?: number, firstMs?: number }} [options] `firstMs`: time before the first line
 * @returns {() => void} function that stops the log
 */
export function sayProgress(log, describe, { everyMs = 5_000, firstMs = everyMs } = {}) {
  const start = performance.now();
  let next = firstMs;
  const timer = setInterval(() => {
    const elapsed = performance.now() - start;
    if (elapsed < next) return;
    next = elapsed + everyMs;
    log(`${describe()} (${formatElapsed(elapsed)})`);
  }, 500);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * Formats a duration.
 *
 * @param {number} ms
 * @returns {string} such as `7 s` or `2 min 05 s`
 */
export function formatElapsed(ms) {
  const seconds = Math.floor(ms / 1000);
  const rest = seconds % 60;
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${String(rest).padStart(2, '0')} s`;
}
