import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Largest request body, in bytes. */
export const BODY_LIMIT = 1024 * 1024;
/** Deepest nesting: far more than any request needs, far less than what overflows a stack. */
const MAX_DEPTH = 64;

/** JSON bodies in UTF-8, an empty one counting as none; other types and encodings are refused with 415. */
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

/** Forms, for the routes of a scope that take them. */
export function parseForms(scope: FastifyInstance): void {
  scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, text, done) => {
    done(null, Object.fromEntries(new URLSearchParams(text as string)));
  });
}

function demandPlainText({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') throw refused(415, `Content-Encoding "${encoding}" is not taken.`);
  const charset = /charset="?([^\s;"]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (!/^(utf-?8|us-ascii)$/i.test(charset)) throw refused(415, `The charset "${charset}" is not taken.`);
}

/** Parses JSON; throws an error with status 400 for what is none, or is made to do harm. */
function readJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw refused(400, 'It is not UTF-8.');
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

/** What of a parsed value would trip those who handle it: recursion over its depth, or the key of prototypes. */
function findHarm(root: unknown): string | null {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return `It is nested more than ${MAX_DEPTH} deep.`;
    const next: unknown[] = [];
    for (const value of level) {
      if (typeof value !== 'object' || value === null) continue;
      if (Object.hasOwn(value, '__proto__')) return 'It has a key "__proto__".';
      for (const inner of Object.values(value)) if (typeof inner === 'object') next.push(inner);
    }
    level = next;
  }
  return null;
}

function refused(statusCode: number, message: string): Error {
  return Object.assign(new Error(message), { statusCode });
}
