import type { PersonQuestion } from '../../../../schemas/pipeline/enrich.js';
import { findPerson } from './find-person.js';
import { rowOf } from '../../records/answer.js';
import type { Fetcher } from '../../records/fetcher.js';
import { cutShortRow } from '../../records/read-pages.js';

// Row kind of the last or only answer to a question. The row kinds of the pages before it begin with `page-`.
const LAST = 'record';

/** Fetches the answers to the questions of `tidemark enrich --people`. The entity is the question. */
export const enrichments: Fetcher = {
  manyRoutes: true,
  // Lands nothing about people. Such a run only starts with `personalData: contacts`, so this function runs only if the
  // configuration changed later.
  withoutPersonalData: () => '{}',
  async *fetch(client, _ctx, question, signal, routes) {
    const { pages, gap } = await findPerson(client, JSON.parse(question) as PersonQuestion, signal, routes);
    for (const [i, page] of pages.entries()) {
      const isLast = i === pages.length - 1;
      const row = rowOf(page, question, isLast ? LAST : `page-${i + 1}`);
      if (isLast && gap !== null) yield cutShortRow(row, gap);
      yield row;
    }
  },
  finished: (rows) =>
    new Set(rows.filter(({ row_kind }) => !row_kind.startsWith('page-')).map((row) => row.entity_id ?? '')),
};
