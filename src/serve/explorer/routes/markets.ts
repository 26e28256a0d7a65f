import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { readMarkets } from '../../report/read-markets.js';
import { answer, type Routes } from './context.js';

const Query = z.object({ market: z.string().min(1).max(200).optional() });

/** `GET /api/v1/markets`: nights of all markets, and what the companies of one or all markets are. */
export function marketRoutes(app: FastifyInstance, routes: Routes): void {
  app.get('/api/v1/markets', async (request, reply) => {
    const { market = null } = Query.parse(request.query);
    return answer(routes, reply, async (reader) => readMarkets(reader, market));
  });
}
