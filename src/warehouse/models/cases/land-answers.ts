import type { LandingStream } from '../../../../schemas/streams/landing-streams.js';
import { landRows } from '../../../landing/index.js';

/** One answer of the API, as a test states it. Optional fields have defaults. */
export interface Answer {
  stream: LandingStream;
  /** Entity id; null for a page of a search. */
  entity?: string | null | undefined;
  /** Body of the answer. A string is landed unchanged. Any other value is landed as JSON. */
  body: unknown;
  status?: number | undefined;
  /** ISO time; default 2026-11-20T02:00:00Z. */
  at?: string | undefined;
  run?: string | undefined;
  date?: string | undefined;
  market?: string | null | undefined;
  /** Request key. Default: made from the stream and the entity. */
  request?: string | undefined;
  /** Kind of the row. `page-1`, for example, is a page that is not the last of its listing. */
  row_kind?: string | undefined;
}

const AT = '2026-11-20T02:00:00.000Z';

let parts = 0;

/** Lands answers with the same writer as a crawl. Writes one part for each stream, run, date and market. */
export async function landAnswers(dataDir: string, answers: readonly Answer[]): Promise<void> {
  const groups: Record<string, Answer[]> = {};
  for (const answer of answers) {
    (groups[`${answer.stream} ${runOf(answer)} ${dateOf(answer)} ${marketOf(answer)}`] ??= []).push(answer);
  }
  for (const group of Object.values(groups)) {
    const [first] = group;
    if (first === undefined) continue;
    const chunk = `c${parts++}`;
    await landRows(
      { dataDir, stream: first.stream, run: runOf(first), date: dateOf(first), market: marketOf(first), chunk },
      group.map((answer) => ({
        request_key: answer.request ?? `GET /${answer.stream}/${answer.entity ?? 'page'}`,
        entity_id: answer.entity ?? null,
        row_kind: answer.row_kind ?? 's',
        status: answer.status ?? 200,
        fetched_at: answer.at ?? AT,
        body: typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body),
      })),
    );
  }
}

function runOf(answer: Answer): string {
  return answer.run ?? 'r1';
}

function dateOf(answer: Answer): string {
  return answer.date ?? '2026-11-20';
}

function marketOf(answer: Answer): string | null {
  return answer.market === undefined ? 'm' : answer.market;
}
