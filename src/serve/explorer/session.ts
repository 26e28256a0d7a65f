import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isSameSecret } from '../../base/same-secret.js';

const COOKIE = 'tidemark_session';

/**
 * Lets in only who knows the token of this process. The address with the token sets a cookie, and redirects to the address
 * without it. The cookie holds another secret, which this process forgets at its end.
 *
 * Refuses requests whose `Host` is not this machine, so no web page can reach the explorer by DNS rebinding. Refuses
 * changes and reads that another web page sends.
 */
export function guard(app: FastifyInstance, options: { token: string; ports: () => readonly number[] }): void {
  const session = randomBytes(32).toString('base64url');
  app.addHook('onRequest', async (request, reply) => {
    const hosts = options.ports().flatMap((port) => [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]);
    if (!hosts.includes(request.headers.host ?? '')) {
      return reply.code(421).send(refusal('The explorer answers only under 127.0.0.1 or localhost.'));
    }
    if (fromElsewhere(request)) return reply.code(403).send(refusal('Another web page sent this request.'));
    const query = request.query as Record<string, unknown>;
    if (request.method === 'GET' && typeof query['token'] === 'string' && !request.url.startsWith('/api/')) {
      if (!isSameSecret(query['token'], options.token)) return reply.code(403).type('text/html').send(SIGN_IN);
      const [pathname] = request.url.split('?');
      // One cookie per port: cookies do not distinguish ports, and two explorers may run.
      void reply.header(
        'set-cookie',
        `${cookieName(request)}=${session}; HttpOnly; SameSite=Strict; Path=/; Max-Age=604800`,
      );
      return reply.code(303).header('location', toPath(pathname)).send();
    }
    if (isSameSecret(readCookie(request), session)) return undefined;
    if (request.url.startsWith('/api/')) {
      return reply.code(401).send(refusal('This page is not signed in. Open the address that Tidemark printed.'));
    }
    // Styles and scripts hold no data, and the page for sign-in needs none of them.
    return reply.code(401).type('text/html').send(SIGN_IN);
  });
}

/** A redirect must stay on this server: `//host/` would leave it. */
function toPath(pathname = '/'): string {
  return `/${pathname.replace(/^[/\\]+/, '')}`;
}

function fromElsewhere(request: FastifyRequest): boolean {
  const { origin } = request.headers;
  if (origin !== undefined && origin !== `http://${request.headers.host}`) return true;
  const site = request.headers['sec-fetch-site'];
  // A link in a mail or on another page may open the explorer, but may not read or change anything.
  const opens = request.headers['sec-fetch-mode'] === 'navigate' && request.method === 'GET';
  return site !== undefined && site !== 'same-origin' && site !== 'none' && !opens;
}

function cookieName({ headers }: FastifyRequest): string {
  return `${COOKIE}_${headers.host?.split(':').at(-1) ?? ''}`;
}

function readCookie(request: FastifyRequest): string {
  const name = cookieName(request);
  const pairs = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim().split('='));
  return pairs.find(([key]) => key === name)?.[1] ?? '';
}

function refusal(message: string): { error: { message: string; todo: string } } {
  return { error: { message, todo: 'Run `tidemark ui`, and open the address that it prints.' } };
}

const SIGN_IN = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tidemark: sign in</title></head>
<body><main><h1>Tidemark</h1>
<p>This explorer is private. Open the address that <code>tidemark ui</code>, <code>up</code> or <code>demo</code> printed. It contains a
token.</p>
<p>The token changes at each start.</p></main></body></html>
`;
