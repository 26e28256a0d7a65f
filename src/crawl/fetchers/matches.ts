import type { CompanyQuestion } from '../../../schemas/pipeline/resolve.js';
import { identify } from '../../resolve/identify.js';
import { rowOf } from '../answer.js';
import type { Fetcher } from './fetcher.js';

/** The answers to the questions of `tidemark resolve`. The entity is the question. */
export const matches: Fetcher = {
  manyRoutes: true,
  async *fetch(client, _ctx, question, signal, routes) {
    const { kind, response } = await identify(client, JSON.parse(question) as CompanyQuestion, signal, routes);
    yield rowOf(response, question, kind);
  },
  finished: (rows) => new Set(rows.map((row) => row.entity_id ?? '')),
};
