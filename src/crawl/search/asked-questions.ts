import { existsSync, readFileSync } from 'node:fs';
import type { RunContext } from '../../../schemas/pipeline/run.js';
import { listFile } from '../../core/data-folder.js';
import { landRows } from '../../landing/index.js';
import { readQuestions } from '../../resolve/read-questions.js';
import type { CrawlDeps } from '../deps.js';
import { wrongInput } from '../run/parse-input.js';

/**
 * Reads the questions of a run's CSV file. Lands rows without a usable question, so that ops.rejects lists these rows.
 * @returns one key per question
 * @throws TidemarkError `InvalidInput` when the file is missing or is not a readable list
 */
export async function askedQuestions(
  { config, clock }: Pick<CrawlDeps, 'config' | 'clock'>,
  ctx: RunContext,
): Promise<string[]> {
  const file = listFile(config.dataDir, ctx.file ?? '');
  if (ctx.file === undefined || !existsSync(file)) {
    throw wrongInput(
      `the file ${file} does not exist`,
      'Run `tidemark resolve FILE.csv`: it copies the list into the data folder. A worker on another machine needs the same data folder.',
    );
  }
  const { questions, bad } = readQuestions(readFileSync(file), file);
  const at = clock.now().toISOString();
  await landRows(
    { dataDir: config.dataDir, stream: 'matches', run: ctx.run, date: ctx.date, market: null, chunk: 'bad-rows' },
    bad.map(({ line, problem, text }) => ({
      request_key: `CSV ${ctx.file} line ${line}`,
      entity_id: `${ctx.file} line ${line}`,
      segment: 'bad-row',
      status: 0,
      fetched_at: at,
      body: `${problem}: ${text}`,
    })),
  );
  return questions;
}
