import { readJson } from '../base/json/json-nodes.js';
import { findError } from './classify.js';
import {
  BodyError,
  ContractError,
  LimitError,
  NotFoundError,
  PermissionDeniedError,
  TokenVerificationError,
  type ApiError,
  type ApiErrorContext,
} from './errors.js';
import type { Origin, Reading } from './read-answer.js';
import { headerOf } from './transport.js';

/**
 * An answer of the connector for a browser: a page (`text`, HTML or other) or a redirect. The client does not follow
 * redirects.
 */
export interface Screen {
  text: string;
  /** Target of the redirect, as the server wrote it. */
  location: string | null;
  /** Cookies that the answer sets, each as `name=value`. Send them with the next step of the same sign-in. */
  cookies: string[];
}

/**
 * Reads an answer made for a browser. An answer below status 400 is a page or redirect. For other answers, the shape of
 * the body says which error it is. If the shape is unknown, the status decides.
 */
export function readScreen(context: ApiErrorContext, { headers }: Origin): Reading<Screen> {
  if (context.status >= 400) return findError(parseJson(context.body), context, false) ?? screenError(context);
  const location = headerOf(headers, 'location');
  const cookies = [headers['set-cookie'] ?? []].flat().map((cookie) => cookie.split(';', 1)[0]!.trim());
  const screen = { text: context.body, location, cookies };
  return { data: () => screen, misfits: () => [] };
}

function screenError(context: ApiErrorContext): ApiError {
  const { status, body } = context;
  const words = titleOf(body) ?? 'a page without a title';
  if (status === 401) return new TokenVerificationError(context, words);
  if (status === 403) return new PermissionDeniedError(context, words);
  if (status === 404 || status === 410) return new NotFoundError(context, words);
  if (status === 429) return new LimitError(context, 'limit', null, words);
  if (status >= 500) return new BodyError(context, `the connector failed: ${words}`);
  return new ContractError(context, words);
}

function titleOf(html: string): string | null {
  return /<title>([^<]*)<\/title>/i.exec(html)?.[1]?.trim() ?? null;
}

function parseJson(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return null;
  }
}
