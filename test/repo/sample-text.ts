// `npx tsx test/repo/sample-text.ts [seed]`: prints random comments, messages and paragraphs for review by a new
// reader.
import { generator } from '../../bench/planner/random.js';
import { readComments, readMessages, readParagraphs, readSqlComments, type Piece } from './read-text.js';
import { readProjectFiles } from './project-files.js';

const random = generator(Number(process.argv[2] ?? 1));
const code = [...readProjectFiles(/^(src|schemas|workflows|activities|sandbox|bootstrap)\/.*\.(ts|mjs)$/)];
// Names of industries, countries and currencies are no text of Tidemark.
const isData = (file: string): boolean => file.startsWith('sandbox/world/data/');
const sql = [...readProjectFiles(/^sql\/.*\.sql$/)];
const pages = [...readProjectFiles(/^(?!test\/|bench\/).*\.md$/)];

print('Comments', 60, [
  ...code.flatMap(([file, text]) => readComments(file, text)),
  ...sql.flatMap(([file, text]) => readSqlComments(file, text)),
]);
print(
  'Messages',
  30,
  code.filter(([file]) => !isData(file)).flatMap(([file, text]) => readMessages(file, text)),
);
print(
  'Paragraphs',
  20,
  pages.flatMap(([file, text]) => readParagraphs(file, text)),
);

function print(title: string, count: number, pieces: Piece[]): void {
  console.log(`\n## ${title}: ${count} of ${pieces.length}\n`);
  const drawn = [...pieces];
  for (let n = 1; n <= count && drawn.length > 0; n++) {
    const [piece] = drawn.splice(Math.floor(random() * drawn.length), 1);
    if (piece) console.log(`${n}. ${piece.file}:${piece.line}\n   ${piece.text.replaceAll(/\s+/g, ' ')}\n`);
  }
}
