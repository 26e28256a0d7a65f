import type { FastifyInstance } from 'fastify';
import { screenHeaders } from '../connector/guards.js';
import { docsPage } from '../contract/docs-page.js';
import { buildOpenApi } from '../contract/openapi.js';
import type { Sandbox } from '../sandbox.js';

/** Routes `/openapi.json` and `/docs`. The first request builds both. */
export function descriptionRoutes(app: FastifyInstance, sandbox: Sandbox): void {
  let made: { openApi: Record<string, unknown>; docs: string } | undefined;
  function description(): { openApi: Record<string, unknown>; docs: string } {
    if (made === undefined) {
      const openApi = buildOpenApi(sandbox.options.statuses);
      made = { openApi, docs: docsPage(openApi) };
    }
    return made;
  }
  app.get('/openapi.json', () => description().openApi);
  app.get('/docs', async (_request, reply) =>
    reply.headers(screenHeaders(null)).type('text/html; charset=utf-8').send(description().docs),
  );
}
