import type { RunContext } from '../../../schemas/pipeline/run.js';
import type { LandingStream } from '../../../schemas/streams/landing-streams.js';
import { keepsContacts } from '../../config/config.js';
import { landRows, type NewRow } from '../../landing/index.js';
import { listFile } from '../../store/data-folder.js';
import type { CrawlDeps } from '../records/deps.js';
import { PEOPLE } from './enrichments/read-people.js';
import { readPrepared, takeList, type PreparedList } from './lists/read-list.js';
import { COMPANIES } from './matches/read-questions.js';
import { payeesOf } from './payees/run-payees.js';

type Deps = Pick<CrawlDeps, 'config' | 'data' | 'clock'>;

/**
 * Returns the questions of a run's list. Lands the other contents of the list: bad rows, so that ops.rejects lists them,
 * and decisions. In a decision, the author of the list names the company that answers a question.
 * @throws TidemarkError `InvalidInput` when the file is missing or is not a readable list
 */
export async function askedQuestions(deps: Deps, ctx: RunContext): Promise<string[]> {
  const { stream, list } = await readAsked(deps, ctx);
  const fetched_at = deps.clock.now().toISOString();
  const { file, run, date } = ctx;
  const bad = list.bad.map(({ line, problem, text }): NewRow => ({
    request_key: `CSV ${file} line ${line}`,
    entity_id: `${file} line ${line}`,
    row_kind: 'bad-row',
    status: 0,
    fetched_at,
    body: text === '' ? problem : `${problem}: ${text}`,
  }));
  const decided = list.decisions.map(({ question, company_id }): NewRow => ({
    request_key: `DECISION ${file}`,
    entity_id: question,
    row_kind: 'decision',
    status: 200,
    fetched_at,
    body: JSON.stringify({ company_id }),
  }));
  await landRows({ data: deps.data, stream, run, date, market: null, chunk: 'list' }, [...bad, ...decided]);
  return list.questions;
}

/** Reads the list of a run. `stream` is the stream of the answers to its questions. */
async function readAsked(
  { config, data }: Deps,
  ctx: RunContext,
): Promise<{ stream: LandingStream; list: PreparedList }> {
  const keeps = keepsContacts(config);
  if (ctx.workflowType === 'checkPayees') {
    const { payees, bad } = await payeesOf(data, ctx);
    // The text of a row has account numbers.
    const shown = bad.map((row) => (keeps ? row : { ...row, text: '' }));
    return { stream: 'payee_checks', list: { questions: [...payees.keys()], bad: shown, decisions: [] } };
  }
  const isOfPeople = ctx.workflowType === 'enrichPeople';
  const command = isOfPeople ? 'enrich FILE.csv --people' : 'resolve FILE.csv';
  const todo = `Run \`tidemark ${command}\`: the command copies the list into the data folder.`;
  const file = listFile(config.dataDir, ctx.file ?? '');
  const bytes = await takeList(data, ctx, file, todo);
  return isOfPeople
    ? { stream: 'enrichments', list: readPrepared(bytes, file, PEOPLE, keeps) }
    : { stream: 'matches', list: readPrepared(bytes, file, COMPANIES, keeps) };
}
