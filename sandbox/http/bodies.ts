import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Largest request body, in bytes. */
export const BODY_LIMIT = 1024 * 1024;
/** Maximum nesting of a JSON body. No request needs 64 levels, and 64 levels cannot overflow the stack. */
const MAX_DEPTH = 64;

/** Accepts JSON bodies in UTF-8. Treats an empty body as a missing body. Answers 415 to other types and encodings. */
export function parseJsonBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      demandPlainText(request);
      done(null, readJson(bytes as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
}

/** Accepts form bodies in one Fastify scope. Converts a body to an object of strings. */
export function parseForms(scope: FastifyInstance): void {
  scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, text, done) => {
    done(null, Object.fromEntries(new URLSearchParams(text as string)));
  });
}

function demandPlainText({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') throw refused(415, `Content-Encoding "${encoding}" is not accepted.`);
  const charset = /charset="?([^\s;"]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (!/^(utf-?8|us-ascii)$/i.test(charset)) throw refused(415, `The charset "${charset}" is not accepted.`);
}

/**
 * Parses JSON.
 *
 * @throws Error with status 400 for invalid JSON and for a harmful body.
 */
function readJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw refused(400, 'The body is not UTF-8.');
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw refused(400, (error as Error).message);
  }
  const harm = findHarm(value);
  if (harm !== null) throw refused(400, harm);
  return value;
}

/**
 * Returns a description of the harmful part of a parsed value, or null. Deep nesting is harmful, because it overflows
 * recursive code. The key `__proto__` is harmful, because it changes prototypes.
 */
function findHarm(root: unknown): string | null {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return `The body is nested more than ${MAX_DEPTH} deep.`;
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue;
      if (Object.hasOwn(value, '__proto__')) return 'The body has a key "__proto__".';
      for (const inner of Object.values(value)) if (typeof inner === 'object') next.push(inner);
    }
    level = next;
  }
  return null;
}

function refused(statusCode: number, message: string): Error {
  return Object.assign(new Error(message), { statusCode });
}
