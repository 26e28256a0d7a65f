import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { SavedQueries } from '../user-sql/saved-queries.js';

const Name = z.object({ name: z.string().max(100) });
const Body = z.strictObject({ sql: z.string() });

/** Routes that list, save and remove the queries in the user's folder. */
export function savedRoutes(app: FastifyInstance, saved: SavedQueries): void {
  app.get('/api/v1/saved', async () => ({ folder: saved.folder, queries: await saved.list() }));
  app.put('/api/v1/saved/:name', async (request, reply) => {
    await saved.save({ ...Name.parse(request.params), ...Body.parse(request.body) });
    return reply.code(204).send();
  });
  app.delete('/api/v1/saved/:name', async (request, reply) => {
    await saved.remove(Name.parse(request.params).name);
    return reply.code(204).send();
  });
}
