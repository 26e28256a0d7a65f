import type { FastifyInstance } from 'fastify';
import type { About } from '../../../../schemas/explorer/api.js';
import { answer, type Routes } from './context.js';

interface Options {
  version: string;
  dataDir: string;
  savedQueries: string;
  temporalUi: () => string | null;
}

/** `GET /api/v1/about`: the build and the program that answer. */
export function aboutRoutes(app: FastifyInstance, routes: Routes, options: Options): void {
  app.get('/api/v1/about', async (_, reply) =>
    answer(routes, reply, async (reader, build): Promise<About> => {
      const [receipt] = await reader.rows<{ run: string; built_at: string }>('SELECT run, built_at FROM meta.receipt');
      return {
        version: options.version,
        build: build.name,
        built_at: receipt?.built_at ?? '',
        run: receipt?.run ?? '',
        data_folder: options.dataDir,
        search_ready: build.search.ready,
        temporal_ui: options.temporalUi(),
        saved_queries: options.savedQueries,
      };
    }),
  );
}
