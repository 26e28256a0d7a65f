import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { contentPolicy, newNonce } from './headers.js';

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};
const NONCE = '__NONCE__';

/**
 * Serves the built front-end: its files, and its page for every other path, because the address names the view.
 * @param folder the folder that Vite built
 */
export function servePages(app: FastifyInstance, folder: string): void {
  const page = readFileSync(path.join(folder, 'index.html'), 'utf8');
  // Read all files once: a later build of the sources must not mix with these.
  const files = new Map(
    readdirSync(folder, { recursive: true })
      .map(String)
      .filter((name) => Object.hasOwn(TYPES, path.extname(name)) && statSync(path.join(folder, name)).isFile())
      .map((name) => [`/${name.split(path.sep).join('/')}`, readFileSync(path.join(folder, name))]),
  );
  app.get('/*', async (request, reply) => {
    const [pathname = '/'] = request.url.split('?');
    const file = files.get(pathname);
    if (file !== undefined) {
      const hashed = pathname.startsWith('/assets/');
      return reply
        .header('cache-control', hashed ? 'private, max-age=31536000, immutable' : 'no-cache')
        .type(TYPES[path.extname(pathname)] ?? 'application/octet-stream')
        .send(file);
    }
    if (pathname.startsWith('/assets/') || pathname.startsWith('/api/')) return reply.callNotFound();
    const nonce = newNonce();
    return reply
      .header('content-security-policy', contentPolicy(nonce))
      .type('text/html; charset=utf-8')
      .send(page.replaceAll(NONCE, nonce));
  });
}
