import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { ApiRow, TenderAnswer, TendersAnswer } from '../../../../schemas/explorer/api.js';
import { answer, query, type Routes } from './context.js';

const Query = z.object({ slug: z.string().min(1).max(2_000) });

/** Routes about tenders. The list itself is a query of the page. */
export function tenderRoutes(app: FastifyInstance, routes: Routes): void {
  app.get('/api/v1/tenders', async (_, reply) =>
    answer(routes, reply, async (reader): Promise<TendersAnswer> => {
      const [pipeline] = await reader.rows<TendersAnswer['pipeline']>(query('tenders/pipeline'));
      if (pipeline === undefined) throw new Error('an aggregate without a row');
      return { facets: await reader.rows<TendersAnswer['facets'][number]>(query('tenders/facets')), pipeline };
    }),
  );

  // The slug is no part of the path: the API may put any character into it.
  app.get('/api/v1/tender', async (request, reply) => {
    const params = Query.parse(request.query);
    return answer(routes, reply, async (reader) => {
      const read = async <T extends object>(name: string): Promise<T[]> =>
        reader.rows<T>(query(`tenders/${name}`), params);
      const [tender] = await read<ApiRow>('tender');
      if (tender === undefined) {
        const error = { message: `There is no tender ${params.slug}.`, todo: 'Look for it in the list of tenders.' };
        return reply.code(404).send({ error });
      }
      return {
        tender,
        donors: await read<TenderAnswer['donors'][number]>('donors'),
        attachments: await read<TenderAnswer['attachments'][number]>('attachments'),
        contacts: await read<TenderAnswer['contacts'][number]>('contacts'),
        versions: await read<ApiRow>('versions'),
      } satisfies TenderAnswer;
    });
  });
}
