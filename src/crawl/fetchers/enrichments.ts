import type { PersonQuestion } from '../../../schemas/pipeline/enrich.js';
import { findPerson } from '../../resolve/find-person.js';
import { rowOf } from '../answer.js';
import type { Fetcher } from './fetcher.js';

/** Fetches the answers to the questions of `tidemark enrich --people`. The entity is the question. */
export const enrichments: Fetcher = {
  manyRoutes: true,
  // Lands nothing about people. Such a run only starts with `personalData: contacts`, so this function runs only if the
  // configuration changed later.
  withoutPersonalData: () => '{}',
  async *fetch(client, _ctx, question, signal, routes) {
    yield rowOf(await findPerson(client, JSON.parse(question) as PersonQuestion, signal, routes), question, 'record');
  },
  finished: (rows) => new Set(rows.map((row) => row.entity_id ?? '')),
};
