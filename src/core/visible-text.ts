/*
 * Text that came from outside, as a person may safely see it. A terminal obeys control characters in what it is asked to
 * show (an escape sequence can rewrite the screen, or the window's title), and bidirectional controls let a name read as
 * another one.
 */

// C0 and C1 controls, marks and overrides of direction, characters without a width that hide a difference, and halves
// of surrogate pairs. Joiners (U+200C, U+200D) stay: scripts and emoji need them.
const UNSEEN =
  /[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** `text` on one line: white space is a space, everything else that is not seen is written as its escape (`\u202e`). */
export function visibleLine(text: string): string {
  return escapeUnseen(text.replaceAll(/[\t\n\r]+/g, ' '));
}

/** The same of a text of several lines, which keeps its line breaks. */
export function visibleText(text: string): string {
  return text.replaceAll('\r\n', '\n').split('\n').map(visibleLine).join('\n');
}

/** Everything that is not seen as its escape, line breaks included. Inside JSON the text keeps its meaning. */
export function escapeUnseen(text: string): string {
  return text.replaceAll(UNSEEN, (found) =>
    [...Array(found.length).keys()].map((i) => `\\u${found.charCodeAt(i).toString(16).padStart(4, '0')}`).join(''),
  );
}

// Colours and weights (SGR), line breaks and tabs may pass; everything else as above.
const IN_TERMINAL = new RegExp(String.raw`(\u001b\[[\d;]*m|\r?\n|\t)|(?:${UNSEEN.source})`, 'gu');

/** Text that was composed for a terminal, with our colours in it: what else a terminal would obey is an escape. */
export function visibleInTerminal(text: string): string {
  return text.replaceAll(IN_TERMINAL, (found, allowed: string | undefined) => allowed ?? escapeUnseen(found));
}
