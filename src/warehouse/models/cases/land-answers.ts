import type { z } from 'zod';
import { landRows } from '../../../landing/index.js';
import type { Answer as AnswerSchema } from './read-cases.js';
import { Data } from '../../../store/data.js';

/** One answer of the API, as a test states it. Optional fields have defaults. */
export type Answer = Omit<z.infer<typeof AnswerSchema>, 'body'> & { body: unknown };

const AT = '2026-11-20T02:00:00.000Z';

let parts = 0;

/** Lands answers with the same writer as a crawl. Writes one part for each stream, run, date and market. */
export async function landAnswers(dataDir: string, answers: readonly Answer[]): Promise<void> {
  const groups: Record<string, Answer[]> = {};
  for (const answer of answers) (groups[JSON.stringify(partOf(answer))] ??= []).push(answer);
  for (const group of Object.values(groups)) {
    const [first] = group;
    if (first === undefined) continue;
    const chunk = `c${parts++}`;
    await landRows(
      { data: new Data(dataDir), ...partOf(first), chunk },
      group.map(({ stream, entity = null, request, row_kind = 's', status = 200, at = AT, body }) => ({
        request_key: request ?? `GET /${stream}/${entity ?? 'page'}`,
        entity_id: entity,
        row_kind,
        status,
        fetched_at: at,
        body: typeof body === 'string' ? body : JSON.stringify(body),
      })),
    );
  }
}

function partOf({ stream, run = 'r1', date = '2026-11-20', market = 'm' }: Answer) {
  return { stream, run, date, market };
}
