import type { FastifyInstance } from 'fastify';
import type { LiveAnswer } from '../../../schemas/explorer/api.js';
import { readOperations } from '../../report/read-operations.js';
import { answer, type Routes } from './context.js';

/** Reads the open runs from Temporal. Never rejects: without a server, the answer says so. */
export type ReadLive = () => Promise<LiveAnswer>;

/** Routes about runs, coverage and quality. */
export function operationRoutes(app: FastifyInstance, routes: Routes, live: ReadLive): void {
  app.get<{ Querystring: { night?: string } }>('/api/v1/operations', async ({ query: { night } }, reply) =>
    answer(routes, reply, async (reader, { tables }) => readOperations(reader, tables, night || null)),
  );
  app.get('/api/v1/live', async () => live());
}
