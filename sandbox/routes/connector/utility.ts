import type { FastifyInstance } from 'fastify';
import { escapeHtml, page } from '../../connector/screens.js';
import { screenHeaders } from '../../connector/guards.js';
import type { Sandbox } from '../../sandbox.js';

/** Routes for the landing page, the health check, the playground and the domain challenge. */
export function utilityRoutes(app: FastifyInstance, sandbox: Sandbox): void {
  app.get('/', async (_request, reply) =>
    reply.headers(screenHeaders(null)).type('text/html; charset=utf-8').send(landing(sandbox)),
  );
  app.get('/health', () => ({ status: 'ok' }));
  app.get('/playground', async (request, reply) =>
    reply.headers(screenHeaders(null)).type('text/html; charset=utf-8').send(playground(sandbox, request.host)),
  );
  app.get('/.well-known/assistant-apps-challenge', async (_request, reply) =>
    reply.type('text/plain; charset=utf-8').send(`sandbox-challenge-${sandbox.options.seed}`),
  );
}

function landing({ options, date }: Sandbox): string {
  return page(
    'Company Data API sandbox',
    `<p>An invented market of ${options.companies} companies on ${date}.</p>` +
      '<ul><li><a href="/docs">The routes</a></li><li><a href="/openapi.json">OpenAPI</a></li>' +
      '<li><a href="/playground">Playground</a></li><li><a href="/_sandbox/state">State</a></li>' +
      '<li><a href="/_sandbox/outbox">Outbox</a></li></ul>',
  );
}

function playground({ world, day }: Sandbox, host: string): string {
  const [first] = world.matchingIndices({}, day);
  const id = first === undefined ? '1000003' : world.summary(first, day).id;
  const call = (path: string, more = ''): string =>
    `<pre>${escapeHtml(`curl -H "Authorization: Token YOUR-KEY"${more} http://${host}${path}`)}</pre>`;
  return page(
    'Playground',
    `<p>Calls to try in a terminal:</p>${call(`/v2/companies/${id}`)}${call(`/v2/financial/${id}`)}` +
      call('/v2/prospecting', ` -H "Content-Type: application/json" -d '{"per_page": 5}'`),
  );
}
