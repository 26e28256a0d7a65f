import type { PersonQuestion } from '../../../schemas/pipeline/enrich.js';
import { findPerson } from '../../resolve/find-person.js';
import { rowOf } from '../answer.js';
import type { Fetcher } from './fetcher.js';

/** The answers to the questions of `tidemark enrich --people`. The entity is the question. */
export const enrichments: Fetcher = {
  manyRoutes: true,
  // A run about people does not open without `personalData: contacts`. If the configuration changed since, land nothing.
  withoutPersonalData: () => '{}',
  async *fetch(client, _ctx, question, signal, routes) {
    yield rowOf(await findPerson(client, JSON.parse(question) as PersonQuestion, signal, routes), question, 'record');
  },
  finished: (rows) => new Set(rows.map((row) => row.entity_id ?? '')),
};
