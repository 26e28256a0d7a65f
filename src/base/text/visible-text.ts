/*
 * Makes text from other sources safe to display. A terminal obeys control characters, so an escape sequence could
 * rewrite the screen or the window title. Bidirectional controls can make one name look like another.
 */

// Matches C0 and C1 controls, direction marks and overrides, unpaired surrogates, and zero-width characters that make
// different texts look equal. Does not match joiners (U+200C, U+200D), because scripts and emoji need them.
const UNSEEN =
  /[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

/** Returns `text` as one line. White space becomes a space; other invisible characters become escapes (`\u202e`). */
export function visibleLine(text: string): string {
  return escapeUnseen(text.replaceAll(/[\t\n\r]+/g, ' '));
}

/** Works like `visibleLine`, but accepts several lines and keeps their line breaks. */
export function visibleText(text: string): string {
  return text.replaceAll('\r\n', '\n').split('\n').map(visibleLine).join('\n');
}

/** Escapes all invisible characters, including line breaks. An escaped JSON text keeps its meaning. */
export function escapeUnseen(text: string): string {
  return text.replaceAll(UNSEEN, (found) =>
    [...Array(found.length).keys()].map((i) => `\\u${found.charCodeAt(i).toString(16).padStart(4, '0')}`).join(''),
  );
}

// Group 1 matches what stays unchanged: colours and font weights (SGR), line breaks and tabs. The rest matches
// invisible characters, which are escaped.
const IN_TERMINAL = new RegExp(String.raw`(\u001b\[[\d;]*m|\r?\n|\t)|(?:${UNSEEN.source})`, 'gu');

const IN_DATA = new RegExp(String.raw`(\r?\n|\t)|(?:${UNSEEN.source})`, 'gu');

/** Escapes all invisible characters except line breaks and tabs: for data, in which colours are no part of the layout. */
export function visibleData(text: string): string {
  return text.replaceAll(IN_DATA, (found, allowed: string | undefined) => allowed ?? escapeUnseen(found));
}

/** Escapes a text before it is written to a terminal. Keeps colours and escapes all other control characters. */
export function visibleInTerminal(text: string): string {
  return text.replaceAll(IN_TERMINAL, (found, allowed: string | undefined) => allowed ?? escapeUnseen(found));
}
