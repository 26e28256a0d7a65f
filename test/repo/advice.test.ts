import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { ADVICE, DESCRIPTIONS, UNTESTED } from './advice.js';
import { readAdvice } from './read-advice.js';
import { readProjectFiles, ROOT } from './project-files.js';
import { readMessages, readParagraphs, type Piece } from './read-text.js';

const code = readProjectFiles(/^(src|schemas|workflows|activities|bootstrap|bin|ui)\/.*\.(tsx?|mjs)$/);
const pages = readProjectFiles(
  /^(?:README|SECURITY|docs\/(?!glossary|data-dictionary|commands)[^/]*|deploy\/.*|examples\/.*)\.md$/,
);
const compose = readProjectFiles(/compose[^/]*\.ya?ml$/);
const pieces = [
  ...[...code].flatMap(([file, text]) => readMessages(file, text)),
  ...[...pages].flatMap(([file, text]) => readParagraphs(file, text)),
  ...[...compose].flatMap(([file, text]) => readYamlComments(file, text)),
];
const found = pieces.flatMap(readAdvice);
const rows = [...ADVICE, ...UNTESTED, ...DESCRIPTIONS];

// Add a new message to one of the lists of advice.ts: to ADVICE with the test that follows it literally, and shows what
// is lost. The message itself says what is lost.
it('knows every text that tells people to delete, move, reset or restore something', () => {
  expect(found.length).toBeGreaterThan(100);
  const unknown = found.filter(({ file, text }) => !rows.some((row) => row.file === file && text.includes(row.text)));
  expect(unknown).toEqual([]);
});

it('lists no text that is gone', () => {
  const gone = rows.filter((row) => !found.some(({ file, text }) => row.file === file && text.includes(row.text)));
  expect(gone).toEqual([]);
});

it('names a test for each advice', () => {
  const missing = ADVICE.filter(({ test: [file, title] }) => {
    const place = path.join(ROOT, file);
    return !existsSync(place) || !readFileSync(place, 'utf8').includes(title);
  });
  expect(missing).toEqual([]);
});

it('leaves no more advice without a test than before, and says why', () => {
  expect(UNTESTED.length).toBeLessThanOrEqual(10);
  expect(UNTESTED.filter(({ reason }) => reason === '')).toEqual([]);
});

function readYamlComments(file: string, text: string): Piece[] {
  return text.split('\n').flatMap((line, i) => {
    const [, said] = /^\s*#\s*(.*)$/.exec(line) ?? [];
    return said ? [{ file, line: i + 1, end: i + 1, text: said }] : [];
  });
}
