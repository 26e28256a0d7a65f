import { readFileSync } from 'node:fs';
import type { RunContext } from '../../../schemas/pipeline/run.js';
import { keepsContacts } from '../../config/config.js';
import { listFile } from '../../store/data-folder.js';
import { landRows } from '../../landing/index.js';
import { readPrepared, type PreparedList } from './matches/prepared-list.js';
import { PEOPLE } from './enrichments/read-people.js';
import { COMPANIES } from './matches/read-questions.js';
import type { CrawlDeps } from '../records/deps.js';
import { wrongInput } from '../../base/parse-input.js';

type Deps = Pick<CrawlDeps, 'config' | 'data' | 'clock'>;

/**
 * Reads the list of questions of a run.
 * @throws TidemarkError `InvalidInput` when the file is missing or is not a readable list
 */
async function readAsked({ config, data }: Deps, ctx: RunContext): Promise<PreparedList> {
  const file = listFile(config.dataDir, ctx.file ?? '');
  if (ctx.file === undefined || !(await data.refresh(file))) {
    throw wrongInput(
      `the file ${file} does not exist`,
      `Run \`tidemark ${isOfPeople(ctx) ? 'enrich FILE.csv --people' : 'resolve FILE.csv'}\`: the command copies the list into the data folder. A worker on another machine needs the same data folder.`,
    );
  }
  const [bytes, keeps] = [readFileSync(file), keepsContacts(config)];
  return isOfPeople(ctx) ? readPrepared(bytes, file, PEOPLE, keeps) : readPrepared(bytes, file, COMPANIES, keeps);
}

/** Returns the questions of a run's list. Lands the other contents of the list (see `landAsked`). */
export async function askedQuestions(deps: Deps, ctx: RunContext): Promise<string[]> {
  const list = await readAsked(deps, ctx);
  await landAsked(deps, ctx, list);
  return list.questions;
}

/**
 * Lands the contents of a run's list that are not questions: bad rows, and decisions. In a decision, the author of the
 * list names the company that answers a question.
 */
async function landAsked({ data, clock }: Deps, ctx: RunContext, list: PreparedList): Promise<void> {
  const fetched_at = clock.now().toISOString();
  const stream = isOfPeople(ctx) ? ('enrichments' as const) : ('matches' as const);
  const target = { data, stream, run: ctx.run, date: ctx.date, market: null };
  await landRows(
    { ...target, chunk: 'bad-rows' },
    list.bad.map(({ line, problem, text }) => ({
      request_key: `CSV ${ctx.file} line ${line}`,
      entity_id: `${ctx.file} line ${line}`,
      row_kind: 'bad-row',
      status: 0,
      fetched_at,
      body: text === '' ? problem : `${problem}: ${text}`,
    })),
  );
  await landRows(
    { ...target, chunk: 'decisions' },
    list.decisions.map(({ question, company_id }) => ({
      request_key: `DECISION ${ctx.file}`,
      entity_id: question,
      row_kind: 'decision',
      status: 200,
      fetched_at,
      body: JSON.stringify({ company_id }),
    })),
  );
}

function isOfPeople({ workflowType }: RunContext): boolean {
  return workflowType === 'enrichPeople';
}
