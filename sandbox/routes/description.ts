import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import { buildOpenApi } from '../contract/openapi.js';
import type { Sandbox } from '../sandbox.js';

/**
 * Routes `/openapi.json` and `/docs`. `/docs` shows the API reference with a form for each call (Swagger UI, served
 * from here).
 */
export async function descriptionRoutes(app: FastifyInstance, sandbox: Sandbox): Promise<void> {
  const document = buildOpenApi(sandbox.options.statuses);
  app.get('/openapi.json', () => document);
  await app.register(swagger, {
    mode: 'static',
    specification: { document: document as never },
  });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    staticCSP: true,
    theme: { title: 'Company Data API (sandbox)' },
    uiConfig: {
      layout: 'BaseLayout',
      docExpansion: 'none',
      filter: true,
      tryItOutEnabled: true,
      persistAuthorization: true,
    },
  });
}
