import { identify } from './identify.js';
import { judge } from './judge.js';
import { rowOf } from '../../records/answer.js';
import type { Fetcher } from '../../records/fetcher.js';

// Row kinds of the answers to a question. `last` marks the last answer, `more` every answer before it.
const MORE = 'more';
const LAST = 'last';

/** Fetches the answers to the questions of `tidemark resolve`. The entity is the question. */
export const matches: Fetcher = {
  manyRoutes: true,
  async *fetch(client, _ctx, question, signal, routes) {
    const answers = await identify(client, question, signal, { routes, judge });
    for (const [i, answer] of answers.entries()) yield rowOf(answer, question, i === answers.length - 1 ? LAST : MORE);
  },
  finished: (rows) => new Set(rows.filter(({ row_kind }) => row_kind !== MORE).map((row) => row.entity_id ?? '')),
};
