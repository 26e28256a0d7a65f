import { diffSequences } from '../../core/diff.js';

/** Unchanged lines shown around each change. */
const CONTEXT = 3;

/**
 * Compares two texts line by line.
 * @returns Lines that begin with a space, `-` or `+`. A line `@@ line N @@` replaces unchanged lines.
 */
export function diffTexts(before: string, after: string): string[] {
  const entries = diffSequences(before.trimEnd().split('\n'), after.trimEnd().split('\n'), (line) => line);
  const changed = entries.flatMap((entry, i) => (entry.kind === 'same' ? [] : [i]));
  const lines: string[] = [];
  let last = -1;
  let lineBefore = 0;
  for (const [i, entry] of entries.entries()) {
    if (entry.kind !== 'added') lineBefore++;
    if (!changed.some((at) => Math.abs(at - i) <= CONTEXT)) continue;
    if (i > last + 1) lines.push(`@@ line ${lineBefore} @@`);
    last = i;
    if (entry.kind === 'same') lines.push(` ${entry.before}`);
    else lines.push(entry.kind === 'removed' ? `-${entry.before}` : `+${entry.after}`);
  }
  return lines;
}
