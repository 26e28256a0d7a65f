import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { SearchAnswer } from '../../../../schemas/explorer/api.js';
import { BUILD_HEADER, clientGone, type Routes } from './context.js';

const Query = z.object({
  q: z.string().max(400).default(''),
  limit: z.coerce.number().int().min(1).max(50).default(12),
});

/** `GET /api/v1/search`: companies whose name or number matches, as the user types. */
export function searchRoutes(app: FastifyInstance, { pool }: Routes): void {
  app.get('/api/v1/search', async (request, reply): Promise<SearchAnswer> => {
    const { q, limit } = Query.parse(request.query);
    return pool.use(async (build) => {
      void reply.header(BUILD_HEADER, build.name);
      const { preparing } = build.search;
      return { hits: await build.search.find(q, limit, clientGone(reply)), preparing };
    });
  });
}
