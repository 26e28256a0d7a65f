import { structuredPatch } from 'diff';

/** Unchanged lines shown around each change. */
const CONTEXT = 3;

/**
 * Compares two texts line by line.
 * @returns Lines that begin with a space, `-` or `+`. A line `@@ line N @@` replaces unchanged lines.
 */
export function diffTexts(before: string, after: string): string[] {
  const [left, right] = [before, after].map((text) => `${text.trimEnd()}\n`) as [string, string];
  const { hunks } = structuredPatch('', '', left, right, '', '', { context: CONTEXT });
  return hunks.flatMap(({ oldStart, lines }) => (oldStart > 1 ? [`@@ line ${oldStart} @@`, ...lines] : lines));
}
