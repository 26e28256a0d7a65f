import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { listFile, listInput } from '../core/data-folder.js';
import type { Config } from '../core/config.js';
import { errorMessage, TidemarkError } from '../core/errors.js';
import type { RunRequest } from '../temporal/start-run.js';
import { formatCount } from '../progress/format.js';
import { examples, loadContext } from '../terminal/context.js';
import { say, tell } from '../terminal/print.js';
import type { RunOptions } from './snapshot/snapshot.js';

const LARGEST = 64 * 1024 * 1024;

/** `tidemark resolve`: identifies the companies of a list. */
export function registerResolve(program: Command): void {
  program
    .command('resolve')
    .description('identify companies from a list (name, registration number, VAT, ticker, website, e-mail, profile)')
    .argument('<file>', 'CSV file whose first line names the columns; unknown columns are ignored')
    .option('--no-wait', 'start the run and return at once')
    .option('--strict', 'also exit with 1 when the run is partial')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      examples(
        'tidemark resolve suppliers.csv',
        'tidemark sql "SELECT request, company_id, name, kind FROM core.matches WHERE matched"',
      ),
    )
    .action(async (file: string, options: RunOptions, command: Command) => {
      const context = await loadContext(command);
      const { request, questions } = await prepare(context.config, file);
      const { runAndFollow } = await import('./snapshot/run-and-follow.js');
      const result = await runAndFollow(context, request, {
        wait: options.wait,
        json: options.json ?? false,
        strict: options.strict ?? false,
        again: `tidemark resolve ${file}`,
      });
      const { otherFolder } = await import('./other-folder.js');
      // If the run used another data folder, this command's data folder does not contain the run's answers.
      const isHere = result !== null && otherFolder(result.folder, context.config.dataDir) === null;
      if (isHere && !options.json) await sayMatches(context.config, questions);
    });
}

/** Reads the list, reports its faults and copies it to the data folder for the workers. */
async function prepare(config: Config, file: string): Promise<{ request: RunRequest; questions: string[] }> {
  const [{ readQuestions }, { writeFileAtomic }, { resolveId }] = await Promise.all([
    import('../resolve/read-questions.js'),
    import('../core/files.js'),
    import('../../workflows/ids.js'),
  ]);
  const list = readList(file);
  const { questions, rows, bad, ignored, alike } = readQuestions(list, file);
  if (questions.length === 0) throw wrongList(`${file} has no row that identifies a company.`, describeBad(bad));
  tell(`${formatCount(rows)} rows, ${formatCount(questions.length)} different questions.`);
  if (ignored.length > 0) tell(`Ignored columns: ${ignored.join(', ')}.`);
  for (const names of alike)
    tell(`Columns with the same meaning: ${names.join(', ')}. The first column with a value is used.`);
  if (bad.length > 0)
    tell(`${formatCount(bad.length)} rows cannot be used (ops.rejects lists them). ${describeBad(bad)}`);
  const hash = createHash('sha256').update(list).digest('hex').slice(0, 16);
  await writeFileAtomic(listFile(config.dataDir, `${hash}.csv`), list);
  const request: RunRequest = {
    type: 'resolveCompanies',
    workflowId: resolveId(hash),
    input: { file: listInput(`${hash}.csv`) },
    market: null,
    date: null,
    summary: `Companies of a list of ${formatCount(questions.length)}`,
    details: 'Identifies the companies of a list, loads, builds the models and publishes core.matches.',
  };
  return { request, questions };
}

function readList(file: string): Buffer {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw wrongList(
      `Cannot read ${file}: ${errorMessage(error)}`,
      'Name a CSV file that you have permission to read.',
      error,
    );
  }
  if (bytes.length > LARGEST) throw wrongList(`${file} is larger than 64 MiB.`, 'Split it into several files.');
  return bytes;
}

function wrongList(what: string, todo: string, cause?: unknown): TidemarkError {
  return new TidemarkError('InvalidInput', what, { todo, cause });
}

function describeBad(bad: readonly { line: number; problem: string }[]): string {
  return bad
    .slice(0, 3)
    .map(({ line, problem }) => `Line ${line}: ${problem}.`)
    .join(' ');
}

const MATCHES = `
SELECT coalesce(m.kind, 'none') AS kind, count(*) AS questions, count(*) FILTER (m.matched) AS matched
FROM core.matches AS m
WHERE m.question_hash IN (SELECT unnest(from_json(CAST($hashes AS JSON), '["VARCHAR"]')))
GROUP BY ALL
ORDER BY matched DESC, kind`;

/** Prints how many questions of the list matched a company, and by which kind of match. */
async function sayMatches(config: Config, questions: readonly string[]): Promise<void> {
  const { openPublished } = await import('../builds/published.js');
  const hashes = questions.map((question) => createHash('sha256').update(question).digest('hex'));
  const published = await openPublished(config.dataDir);
  try {
    const rows = await published.objects<{ kind: string; questions: number; matched: number }>(MATCHES, {
      hashes: JSON.stringify(hashes),
    });
    const matched = rows.reduce((sum, row) => sum + row.matched, 0);
    const by = rows.filter((row) => row.matched > 0).map((row) => `${formatCount(row.matched)} by ${row.kind}`);
    say(
      `  matched    ${formatCount(matched)} of ${formatCount(questions.length)}${by.length > 0 ? `: ${by.join(', ')}` : ''}`,
    );
    say('             tidemark sql "SELECT request, company_id, name, kind FROM core.matches WHERE matched"');
  } finally {
    published.close();
  }
}
