/*
 * Makes text from other sources safe to display. A terminal obeys control characters: an escape sequence can rewrite
 * the screen or the window title. Bidirectional controls can make a name look like another name.
 */

// C0 and C1 controls, direction marks and overrides, zero-width characters that hide a difference, and unpaired
// surrogates. Joiners (U+200C, U+200D) are not in the list, because scripts and emoji need them.
const UNSEEN =
  /[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Returns `text` as one line. White space becomes a space; other invisible characters become escapes (`\u202e`). */
export function visibleLine(text: string): string {
  return escapeUnseen(text.replaceAll(/[\t\n\r]+/g, ' '));
}

/** Does the same as `visibleLine` for a text of several lines, and keeps its line breaks. */
export function visibleText(text: string): string {
  return text.replaceAll('\r\n', '\n').split('\n').map(visibleLine).join('\n');
}

/** Escapes all invisible characters, including line breaks. A JSON text keeps its meaning. */
export function escapeUnseen(text: string): string {
  return text.replaceAll(UNSEEN, (found) =>
    [...Array(found.length).keys()].map((i) => `\\u${found.charCodeAt(i).toString(16).padStart(4, '0')}`).join(''),
  );
}

// Matches colours and weights (SGR), line breaks and tabs as group 1, which stays unchanged. All other invisible
// characters are escaped.
const IN_TERMINAL = new RegExp(String.raw`(\u001b\[[\d;]*m|\r?\n|\t)|(?:${UNSEEN.source})`, 'gu');

/** Escapes a text before it is written to a terminal. Keeps colours and escapes all other control characters. */
export function visibleInTerminal(text: string): string {
  return text.replaceAll(IN_TERMINAL, (found, allowed: string | undefined) => allowed ?? escapeUnseen(found));
}
