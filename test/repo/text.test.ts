import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { listProjectFiles, readProjectFiles, ROOT } from './project-files.js';
import { readComments, readMessages, readParagraphs, readSqlComments, type Piece } from './read-text.js';

// Words from the last column of docs/glossary.md, and phrases that are hard to read.
const BANNED =
  /\b(?:pulse|lanes|anew|in words|so many|of its own|as many as there|whoever|aside|no door)\b|\bquota drift\b|\bstands? in line\b/i;
// File names that documents use as examples.
const EXAMPLES = /(?:markets_today|my_table|market_daily_v1|macros\/regions)\.sql$/;
const FILE = /(?<![\w./-])(?:\.{0,2}\/)?(?:[\w-]+\/)*[\w-]+\.(?:ts|mts|mjs|sql|md)\b/g;

const files = listProjectFiles();
const names = new Set(files.map((file) => path.basename(file)));
const code = readProjectFiles(/^(src|schemas|workflows|activities|sandbox|bootstrap|bin|ui)\/.*\.(tsx?|mjs)$/);
const sql = readProjectFiles(/^sql\/.*\.sql$/);
const pages = readProjectFiles(/^(?!test\/|bench\/|CHANGELOG|docs\/glossary).*\.md$/);
const comments = [
  ...[...code].flatMap(([file, text]) => readComments(file, text)),
  ...[...sql].flatMap(([file, text]) => readSqlComments(file, text)),
];
const paragraphs = [...pages].flatMap(([file, text]) => readParagraphs(file, text));
const messages = [...code].flatMap(([file, text]) => readMessages(file, text));

const show = ({ file, line }: Piece, what: string): string => `${file}:${line}: ${what}`;

describe('text for readers', () => {
  it('finds comments, messages and paragraphs', () => {
    expect(comments.length).toBeGreaterThan(1_000);
    expect(messages.length).toBeGreaterThan(300);
    expect(paragraphs.length).toBeGreaterThan(100);
  });

  it('uses no banned word', () => {
    const hits = [...comments, ...paragraphs, ...messages].flatMap((piece) => {
      const found = BANNED.exec(piece.text.replaceAll(/`[^`]*`/g, ''));
      return found ? [show(piece, found[0])] : [];
    });
    expect(hits).toEqual([]);
  });

  it('names only files that exist', () => {
    const hits = [...comments, ...paragraphs].flatMap((piece) =>
      [...piece.text.matchAll(FILE)]
        .map(([name]) => name)
        .filter((name) => !EXAMPLES.test(name) && !isFile(piece.file, name))
        .map((name) => show(piece, name)),
    );
    expect(hits).toEqual([]);
  });
});

/** Resolves relative to the naming file, or by the end of the path. */
function isFile(from: string, name: string): boolean {
  if (!name.includes('/')) return names.has(name);
  return files.some((file) => `/${file}`.endsWith(`/${name}`)) || existsSync(path.join(ROOT, path.dirname(from), name));
}
