import { Option, type Command } from 'commander';
import type { Config } from '../../config/config.js';
import { invalidInput } from '../../base/errors.js';
import { formatCount } from '../../../schemas/format.js';
import type { List } from '../../crawl/streams/lists/read-list.js';
import type { RunRequest } from '../../temporal/runs/start-run.js';
import { examples, loadContext, type CliContext } from '../context.js';
import { shellQuote } from '../../base/text/pasteable.js';
import { say, tell } from '../terminal/print.js';
import type { WrittenResult } from './list-run.js';
import { addRunOptions, type RunOptions } from '../runs/run-options.js';

interface Options extends RunOptions {
  people?: boolean;
  reveal?: string[];
}

/** A list and the run that enriches it. */
interface Prepared {
  list: List<string>;
  /** The question sent for each question of the list: the same question, plus the contact data to reveal. */
  asked: Map<string, string>;
  request: RunRequest;
}

/** `tidemark enrich`: adds the records of the API to a list of companies or people. */
export function registerEnrich(program: Command): void {
  const enrich = program
    .command('enrich')
    .summary('add company or people records to a list')
    .description('add company records to a list; with --people, add records of people')
    .argument('<file>', 'CSV file whose first line names the columns; unknown columns are kept and not used')
    .option('--people', 'the list names people (e-mail, profile, or first and last name with company or domain)')
    .addOption(
      new Option(
        '--reveal <what>',
        'contact data to reveal: email, phone, or email,phone; the API may charge for it',
      ).argParser(parseReveal),
    );
  addRunOptions(enrich)
    .addHelpText(
      'after',
      examples(
        'tidemark enrich suppliers.csv',
        'tidemark enrich contacts.csv --people',
        'tidemark enrich contacts.csv --people --reveal email,phone',
      ),
    )
    .action(async (file: string, options: Options, command: Command) => {
      const context = await loadContext(command);
      const { list, asked, request } = await prepare(context, file, options);
      const { followListRun } = await import('./list-run.js');
      const again = `tidemark enrich ${shellQuote(file)}${options.people ? ' --people' : ''}`;
      const write = (): Promise<WrittenResult> => writeResult(context.config, file, list, asked);
      await followListRun(context, request, { options, again, write });
    });
}

/** Writes the result file beside the list. Then shows how many questions have an answer. */
async function writeResult(
  { dataDir }: Config,
  file: string,
  list: List<string>,
  asked: ReadonlyMap<string, string>,
): Promise<WrittenResult> {
  const { writeEnriched } = await import('./enriched-file.js');
  const { written, found } = await writeEnriched(dataDir, file, list, asked);
  return {
    json: { found, file: written },
    show() {
      say(`  found      ${formatCount(found)} of ${formatCount(list.questions.length)}`);
      say(`             ${written}`);
    },
  };
}

/** Reads the list, reports its faults and stores the prepared list for the workers. */
async function prepare(
  { config, data }: CliContext,
  file: string,
  { people = false, reveal = [] }: Options,
): Promise<Prepared> {
  const [{ keepsContacts }, { listInput }, lists, ids] = await Promise.all([
    import('../../config/config.js'),
    import('../../store/data-folder.js'),
    import('./prepare-list.js'),
    import('../../../workflows/ids.js'),
  ]);
  if (reveal.length > 0 && !people)
    throw invalidInput('--reveal is only for people.', 'Add --people, or leave out --reveal.');
  if (people && !keepsContacts(config))
    throw invalidInput(
      'personalData is none, so people are not enriched.',
      'If you may keep contact data of people, set `personalData: contacts` in tidemark.yaml.',
    );
  if (!people) {
    const { COMPANIES } = await import('../../crawl/streams/matches/read-questions.js');
    const list = lists.readAndDescribe(config, file, COMPANIES);
    const { name, hash } = await lists.storePrepared(data, list);
    const asked = new Map(list.questions.map((question) => [question, question]));
    const input = { file: listInput(name) };
    return { list, asked, request: await runOf('resolveCompanies', ids.resolveId(hash), input, list.questions.length) };
  }
  const { PEOPLE, withReveal } = await import('../../crawl/streams/enrichments/read-people.js');
  const list = lists.readAndDescribe(config, file, PEOPLE);
  const asked = new Map(list.questions.map((question) => [question, withReveal(question, reveal)]));
  if (reveal.length > 0)
    tell(`The run asks the API to reveal: ${reveal.join(', ')}. ops.reveals lists each of these requests.`);
  const { name, hash } = await lists.storePrepared(data, { ...list, questions: [...asked.values()] });
  const input = { file: listInput(name) };
  return { list, asked, request: await runOf('enrichPeople', ids.enrichId(hash), input, list.questions.length) };
}

async function runOf(
  type: 'resolveCompanies' | 'enrichPeople',
  workflowId: string,
  input: RunRequest['input'],
  questions: number,
): Promise<RunRequest> {
  const { listRun } = await import('./list-run.js');
  const what = type === 'enrichPeople' ? 'People' : 'Companies';
  return listRun(type, workflowId, input, {
    summary: `${what} of a list of ${formatCount(questions)}`,
    details: `Enriches the ${what.toLowerCase()} of a list, loads, builds the models and publishes core.enrichments.`,
  });
}

function parseReveal(text: string): string[] {
  const words = text.split(',').map((word) => word.trim());
  const unknown = words.find((word) => word !== 'email' && word !== 'phone');
  if (unknown !== undefined)
    throw invalidInput(`--reveal does not know "${unknown}".`, 'Give email, phone or email,phone.');
  return [...new Set(words)].toSorted();
}
