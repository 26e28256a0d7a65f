// Characters that take two terminal columns: Unicode's East Asian Wide and Fullwidth blocks, and emoji. The list is
// approximate, but correct for names.
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;
// Combining marks and invisible characters take no column.
const NONE = /\p{Mn}|\p{Me}|\p{Cf}/u;

/** Returns the number of terminal columns that a text takes. */
export function displayWidth(text: string): number {
  let width = 0;
  for (const point of text) width += pointWidth(point);
  return width;
}

/** Cuts a text to at most `width` columns. An ellipsis shows that the text was cut. */
export function cut(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = '';
  let used = 0;
  // Iterate over code points, so that a character of two UTF-16 units is not cut in half.
  for (const point of text) {
    used += pointWidth(point);
    if (used > width - 1) break;
    kept += point;
  }
  return `${kept}…`;
}

/** Fills a text with spaces to `width` columns. `side` is the side of the text; the spaces are on the other side. */
export function pad(text: string, width: number, side: 'left' | 'right'): string {
  const fill = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return side === 'left' ? text + fill : fill + text;
}

function pointWidth(point: string): number {
  if (point >= ' ' && point <= '~') return 1;
  return NONE.test(point) ? 0 : WIDE.test(point) ? 2 : 1;
}
