/**
 * Says every few seconds that something long is still going on, with the time it took so far.
 *
 * @param {(line: string) => void} log
 * @param {() => string} describe what to say, such as `installing packages`
 * @param {{ everyMs?: number, firstMs?: number }} [options] nothing is said before `firstMs`
 * @returns {() => void} stops it
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
 * @param {number} ms
 * @returns {string} such as `7 s` or `2 min 05 s`
 */
export function formatElapsed(ms) {
  const seconds = Math.floor(ms / 1000);
  const rest = seconds % 60;
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${String(rest).padStart(2, '0')} s`;
}
