import type { Command } from 'commander';
import type { Config } from '../../config/config.js';
import { formatCount } from '../../../schemas/format.js';
import type { List } from '../../crawl/streams/lists/read-list.js';
import type { RunRequest } from '../../temporal/runs/start-run.js';
import { examples, loadContext, type CliContext } from '../context.js';
import { commandLine, shellQuote } from '../../base/text/pasteable.js';
import { say, tell } from '../terminal/print.js';
import type { WrittenResult } from './list-run.js';
import { addRunOptions, type RunOptions } from '../runs/run-options.js';

interface Options extends RunOptions {
  decisions?: string;
}

/** `tidemark resolve`: identifies the companies of a list. */
export function registerResolve(program: Command): void {
  const resolve = program
    .command('resolve')
    .summary('identify the companies of a list')
    .description(
      'identify companies from a list (registration number, VAT, LEI, ticker, website, e-mail, phone, profile, name, person)',
    )
    .argument('<file>', 'CSV file whose first line names the columns; unknown columns are kept and not used')
    .option(
      '--decisions <file>',
      'read your decisions from this file: FILE.ambiguous.csv with its column "decision" filled',
    );
  addRunOptions(resolve)
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
      const { list, request } = await prepare(context, file, options);
      const { followListRun } = await import('./list-run.js');
      const write = (): Promise<WrittenResult> => writeResults(context.config, file, list);
      await followListRun(context, request, { options, again: `tidemark resolve ${shellQuote(file)}`, write });
    });
}

/** Reads the list and the decisions, reports their faults and stores the prepared list for the workers. */
async function prepare(
  { config, data }: CliContext,
  file: string,
  { decisions }: Options,
): Promise<{ list: List<string>; request: RunRequest }> {
  const [
    { readAndDescribe, storePrepared },
    { readListFile },
    { listRun },
    { COMPANIES },
    { readDecisions },
    { listInput },
    { resolveId },
  ] = await Promise.all([
    import('./prepare-list.js'),
    import('./list-file.js'),
    import('./list-run.js'),
    import('../../crawl/streams/matches/read-questions.js'),
    import('../../crawl/streams/matches/read-decisions.js'),
    import('../../store/data-folder.js'),
    import('../../../workflows/ids.js'),
  ]);
  const list = readAndDescribe(config, file, COMPANIES);
  const decided = decisions === undefined ? [] : readDecisions(readListFile(decisions), decisions);
  if (decisions !== undefined) tell(`${formatCount(decided.length)} questions are decided in ${decisions}.`);
  const { name, hash } = await storePrepared(data, { ...list, decisions: decided });
  const request = listRun(
    'resolveCompanies',
    resolveId(hash),
    { file: listInput(name) },
    {
      summary: `Companies of a list of ${formatCount(list.questions.length)}`,
      details: 'Identifies the companies of a list, loads, builds the models and publishes core.matches.',
    },
  );
  return { list, request };
}

/** Writes the result files beside the list. Then shows how many questions matched a company, by the kind of request. */
async function writeResults(config: Config, file: string, list: List<string>): Promise<WrittenResult> {
  const [{ readAnswers }, { ambiguousRows, matchedRows, readMatches }, { resultFile, writeList }] = await Promise.all([
    import('./published-answers.js'),
    import('./match-files.js'),
    import('./write-list.js'),
  ]);
  const matches = await readAnswers(config.dataDir, (published) => readMatches(published, list.questions), new Map());
  const matchedFile = resultFile(file, 'matched');
  await writeList(matchedFile, matchedRows(list, matches), list.delimiter);
  const open = ambiguousRows(matches.values());
  const ambiguousFile = resultFile(file, 'ambiguous');
  if (open.length > 1) await writeList(ambiguousFile, open, list.delimiter);
  const all = [...matches.values()];
  const found = all.filter(({ company_id }) => company_id !== null);
  const ambiguous = all.filter(({ state }) => state === 'ambiguous').length;
  return {
    json: { matched: found.length, ambiguous, file: matchedFile, ...(ambiguous > 0 ? { ambiguousFile } : {}) },
    show() {
      const kinds = countKinds(found.map(({ kind }) => kind ?? 'none'));
      const total = formatCount(list.questions.length);
      say(`  matched    ${formatCount(found.length)} of ${total}${kinds.length > 0 ? `: ${kinds.join(', ')}` : ''}`);
      say(`             ${matchedFile}`);
      if (ambiguous === 0) return;
      say(`  ambiguous  ${formatCount(ambiguous)}: fill the column "decision" of ${ambiguousFile}, then run`);
      say(
        `             ${commandLine(`tidemark resolve ${shellQuote(file)} --decisions ${shellQuote(ambiguousFile)}`)}`,
      );
    },
  };
}

/** Counts equal kinds, most frequent first: `20 by registration`. */
function countKinds(kinds: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts]
    .toSorted(([a, one], [b, two]) => two - one || (a < b ? -1 : 1))
    .map(([kind, count]) => `${formatCount(count)} by ${kind}`);
}
