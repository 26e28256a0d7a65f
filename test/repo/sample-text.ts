// `npx tsx test/repo/sample-text.ts [seed]`: prints random comments, messages and paragraphs for review by a new
// reader. Prints the lines that a reader of the file sees: a comment with the code below it, a message inside its
// statement, a paragraph under its heading.
import { generator } from '../../bench/planner/random.js';
import { readComments, readMessages, readParagraphs, readSqlComments, type Piece } from './read-text.js';
import { readProjectFiles } from './project-files.js';

const random = generator(Number(process.argv[2] ?? 1));
const code = [...readProjectFiles(/^(src|schemas|workflows|activities|sandbox|bootstrap)\/.*\.(ts|mjs)$/)];
// Names of industries, countries and currencies are no text of Tidemark.
const isData = (file: string): boolean => file.startsWith('sandbox/world/data/');
const sql = [...readProjectFiles(/^sql\/.*\.sql$/)];
const pages = [...readProjectFiles(/^(?!test\/|bench\/).*\.md$/)];
const texts = new Map([...code, ...sql, ...pages].map(([file, text]) => [file, text.split('\n')]));

print(
  'Comments',
  60,
  [
    ...code.flatMap(([file, text]) => readComments(file, text)),
    ...sql.flatMap(([file, text]) => readSqlComments(file, text)),
  ],
  ({ line, end }, lines) => [
    ...enclosing(lines, line),
    ...lines.slice(line - 1, end),
    ...firstFilled(lines.slice(end), 2),
  ],
);
print(
  'Messages',
  30,
  code.filter(([file]) => !isData(file)).flatMap(([file, text]) => readMessages(file, text)),
  ({ line, end }, lines) => lines.slice(Math.max(line - 2, 0), end + 1),
);
print(
  'Paragraphs',
  20,
  pages.flatMap(([file, text]) => readParagraphs(file, text)),
  ({ line, end }, lines) => [
    lines.slice(0, line).findLast((text) => /^#+ /.test(text)) ?? '',
    ...(/^(- |1\. )/.test(lines[line - 1] ?? '') ? before(lines, line) : []),
    ...lines.slice(line - 1, end),
    // A colon announces a list, a table or code.
    ...(lines[end - 1]?.endsWith(':') ? firstFilled(lines.slice(end), 3) : []),
  ],
);

function print(
  title: string,
  count: number,
  pieces: Piece[],
  visible: (piece: Piece, lines: string[]) => string[],
): void {
  console.log(`\n## ${title}: ${count} of ${pieces.length}\n`);
  const drawn = [...pieces];
  for (let n = 1; n <= count && drawn.length > 0; n++) {
    const [piece] = drawn.splice(Math.floor(random() * drawn.length), 1);
    if (piece) console.log(`${n}. ${piece.file}:${piece.line}\n${visible(piece, texts.get(piece.file)!).join('\n')}\n`);
  }
}

/** The start of the declaration that contains an indented comment. */
function enclosing(lines: string[], line: number): string[] {
  const indent = (text: string): number => text.search(/\S|$/);
  const own = indent(lines[line - 1] ?? '');
  const start = lines
    .slice(0, line - 1)
    .findLast((text) => text.trim() !== '' && indent(text) < own && !/^\s*\*/.test(text));
  return start === undefined ? [] : [start, '  …'];
}

/** The last line before a list, which may say what the list is about; nothing if the list follows its heading. */
function before(lines: string[], line: number): string[] {
  const last = lines.slice(0, line - 1).findLast((text) => text.trim() !== '') ?? '';
  return /^#+ /.test(last) ? [] : [last];
}

function firstFilled(lines: string[], count: number): string[] {
  return lines.filter((line) => line.trim() !== '').slice(0, count);
}
