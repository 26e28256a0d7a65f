import { formatCount } from '../../../schemas/format.js';

const MOST = 5;

/**
 * Returns the first five lines, then `and 3 more: …` with the command that shows all.
 * @param command command line that shows all lines
 */
export function atMostFive(lines: readonly string[], command: string): string[] {
  const more = lines.length - MOST;
  return more > 0 ? [...lines.slice(0, MOST), `and ${formatCount(more)} more: \`${command}\``] : [...lines];
}
