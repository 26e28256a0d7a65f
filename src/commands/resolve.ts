import type { Command } from 'commander';
import type { Config } from '../core/config.js';
import { formatCount } from '../progress/format.js';
import type { List } from '../resolve/read-list.js';
import { examples, loadContext } from '../terminal/context.js';
import { say, tell } from '../terminal/print.js';
import type { RunOptions } from './snapshot/snapshot.js';

interface Options extends RunOptions {
  decisions?: string;
}

/** `tidemark resolve`: identifies the companies of a list. */
export function registerResolve(program: Command): void {
  program
    .command('resolve')
    .description(
      'identify companies from a list (registration number, VAT, LEI, ticker, website, e-mail, phone, profile, name, person)',
    )
    .argument('<file>', 'CSV file whose first line names the columns; unknown columns are kept and not used')
    .option(
      '--decisions <file>',
      'read your decisions from this file: FILE.ambiguous.csv with its column "decision" filled',
    )
    .option('--no-wait', 'start the run and return at once')
    .option('--strict', 'also exit with 1 when the run is partial')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      examples(
        'tidemark resolve suppliers.csv',
        'tidemark resolve suppliers.csv --decisions suppliers.ambiguous.csv',
        'tidemark sql "SELECT request, company_id, name, kind FROM core.matches WHERE matched"',
      ),
    )
    .action(async (file: string, options: Options, command: Command) => {
      const context = await loadContext(command);
      const { list, hash, name } = await prepare(context.config, file, options);
      const { resolveId } = await import('../../workflows/ids.js');
      const { listInput } = await import('../core/data-folder.js');
      const { runAndFollow } = await import('./snapshot/run-and-follow.js');
      const result = await runAndFollow(
        context,
        {
          type: 'resolveCompanies',
          workflowId: resolveId(hash),
          input: { file: listInput(name) },
          market: null,
          date: null,
          summary: `Companies of a list of ${formatCount(list.questions.length)}`,
          details: 'Identifies the companies of a list, loads, builds the models and publishes core.matches.',
        },
        {
          wait: options.wait,
          json: options.json ?? false,
          strict: options.strict ?? false,
          again: `tidemark resolve ${file}`,
        },
      );
      const { otherFolder } = await import('./other-folder.js');
      // If the run used another data folder, this command's data folder does not contain the run's answers.
      const isHere = result !== null && otherFolder(result.folder, context.config.dataDir) === null;
      if (isHere && result.published) await writeResults(context.config, file, list, options.json ?? false);
    });
}

/** Reads the list and the decisions, reports their faults and stores the prepared list for the workers. */
async function prepare(
  config: Config,
  file: string,
  { decisions }: Options,
): Promise<{ list: List<string>; name: string; hash: string }> {
  const [{ readAndDescribe, readSmallFile, storePrepared }, { COMPANIES }, { readDecisions }] = await Promise.all([
    import('./lists/prepare-list.js'),
    import('../resolve/read-questions.js'),
    import('../resolve/read-decisions.js'),
  ]);
  const { list, prepared } = readAndDescribe(config, file, COMPANIES);
  const decided = decisions === undefined ? [] : readDecisions(readSmallFile(decisions), decisions);
  if (decisions !== undefined) tell(`${formatCount(decided.length)} questions are decided in ${decisions}.`);
  return { list, ...(await storePrepared(config, { ...prepared, decisions: decided })) };
}

/** Writes the result files beside the list and prints how many questions matched a company, by the kind of request. */
async function writeResults(config: Config, file: string, list: List<string>, quiet: boolean): Promise<void> {
  const [{ openPublished }, { ambiguousRows, matchedRows, readMatches, resultFile }, { writeList }] = await Promise.all(
    [import('../builds/published.js'), import('./lists/match-files.js'), import('./lists/write-list.js')],
  );
  const published = await openPublished(config.dataDir);
  const matches = await readMatches(published, list.questions).finally(() => published.close());
  const matchedFile = resultFile(file, 'matched');
  await writeList(matchedFile, matchedRows(list, matches), list.delimiter);
  const open = ambiguousRows(matches.values());
  const ambiguousFile = resultFile(file, 'ambiguous');
  if (open.length > 1) await writeList(ambiguousFile, open, list.delimiter);
  if (quiet) return;
  const all = [...matches.values()];
  const found = all.filter(({ company_id }) => company_id !== null);
  const counts = new Map<string, number>();
  for (const { kind } of found) counts.set(kind ?? 'none', (counts.get(kind ?? 'none') ?? 0) + 1);
  const kinds = [...counts]
    .toSorted(([a, one], [b, two]) => two - one || (a < b ? -1 : 1))
    .map(([kind, count]) => `${formatCount(count)} by ${kind}`);
  const total = formatCount(list.questions.length);
  say(`  matched    ${formatCount(found.length)} of ${total}${kinds.length > 0 ? `: ${kinds.join(', ')}` : ''}`);
  say(`             ${matchedFile}`);
  const ambiguous = all.filter(({ state }) => state === 'ambiguous').length;
  if (ambiguous === 0) return;
  say(`  ambiguous  ${formatCount(ambiguous)}: fill the column "decision" of ${ambiguousFile}, then run`);
  say(`             tidemark resolve ${file} --decisions ${ambiguousFile}`);
}
