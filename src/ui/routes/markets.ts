import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { ApiRow, MarketsAnswer } from '../../../schemas/explorer/api.js';
import { readSqlFile } from '../../duckdb/sql-files.js';
import { answer, query, type Routes } from './context.js';

const Query = z.object({ market: z.string().min(1).max(200).optional() });

/** `GET /api/v1/markets`: nights of all markets, and what the companies of one or all markets are. */
export function marketRoutes(app: FastifyInstance, routes: Routes): void {
  app.get('/api/v1/markets', async (request, reply) => {
    const { market = null } = Query.parse(request.query);
    return answer(routes, reply, async (reader): Promise<MarketsAnswer> => ({
      nights: await reader.rows<ApiRow>(readSqlFile('report/nights.sql').text),
      breakdown: await reader.rows<MarketsAnswer['breakdown'][number]>(query('markets/breakdown'), { market }),
    }));
  });
}
