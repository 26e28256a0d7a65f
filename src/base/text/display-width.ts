import stringWidth from 'string-width';

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Returns the number of terminal columns that a text takes. */
export function displayWidth(text: string): number {
  return stringWidth(text);
}

/** Cuts a text to at most `width` columns and adds an ellipsis. Never separates a letter from its accents. */
export function cut(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    used += displayWidth(segment);
    if (used > width - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Fills a text with spaces to `width` columns. `side` is the side of the text; the spaces are on the other side. */
export function pad(text: string, width: number, side: 'left' | 'right'): string {
  const fill = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return side === 'left' ? text + fill : fill + text;
}
