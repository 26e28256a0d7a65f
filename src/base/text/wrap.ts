import { stripVTControlCharacters } from 'node:util';
import { displayWidth } from './display-width.js';

// A word, or a text in backticks: a command must stay on one line, so that a person can copy it.
const WORD = /`[^`\n]*`\S*|\S+/g;
// Matches the start of a line: indentation, marks such as "!", and a label that ends with two spaces. If the line is
// broken, its other lines are indented by the width of this start.
const HANGING = /^\s*(?:[!✔✘→•·-]\s+)*(?:\S+(?: \S+){0,2}\s{2,})?/;

/**
 * Breaks a text into lines of at most `width` columns. Breaks only between words, so a longer word stays whole. Colours
 * take no column.
 * @returns At least one line
 */
export function wrapWords(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = '';
  for (const [word] of text.matchAll(WORD)) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line === '' || shownWidth(longer) <= width) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line];
}

/** Breaks each line that is wider than `width` columns. Indents its other lines to where the text of the first begins. */
export function wrapLines(text: string, width: number): string {
  return text
    .split('\n')
    .flatMap((line) => wrapLine(line, width))
    .join('\n');
}

function wrapLine(line: string, width: number): string[] {
  if (shownWidth(line) <= width) return [line];
  const found = HANGING.exec(line)?.[0] ?? '';
  const small = /^\s*/.exec(line)?.[0] ?? '';
  const longest = Math.max(0, ...[...line.slice(found.length).matchAll(WORD)].map(([word]) => shownWidth(word)));
  const fits = (start: string): boolean => shownWidth(start) + longest <= width;
  // Keep room for the text: a wide label gets a small indentation. So does a text with a long word, such as a path, that
  // fits only then.
  const start = shownWidth(found) <= width * 0.6 && (fits(found) || !fits(small)) ? found : small;
  const indent = shownWidth(start);
  return wrapWords(line.slice(start.length), Math.max(1, width - indent)).map((words, i) =>
    i === 0 ? start + words : ' '.repeat(indent) + words,
  );
}

function shownWidth(text: string): number {
  return displayWidth(stripVTControlCharacters(text));
}
