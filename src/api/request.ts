import { canonicalJson } from '../base/json/canonical-json.js';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** One request, ready to send. */
export interface PreparedRequest {
  method: Method;
  /** Path and query, relative to the base URL. */
  path: string;
  /** JSON or urlencoded text; null without a body. */
  body: string | null;
  /** Headers of this request only. They replace the client's headers of the same name. */
  headers: Record<string, string> | null;
  /** Canonical request: `METHOD /path {sorted json}`. Equal requests have equal keys. */
  key: string;
}

/**
 * The values of one request. `ids` fill the `{…}` of the path in order. The request is sent without fields whose value
 * is undefined.
 */
export interface RequestParts {
  ids?: readonly (string | number)[];
  query?: object | undefined;
  body?: object;
  /** Fields of an urlencoded body, which is sent instead of `body`. */
  form?: object;
  /**
   * Secret fields (API key, session, code). They are sent in the query, body or form, but are not part of the request
   * key.
   */
  secrets?: object;
  headers?: Record<string, string>;
}

/** Makes the request for the record of an id. */
export const byId = (id: string | number): RequestParts => ({ ids: [id] });

/** Makes a request with a JSON body. */
export const inBody = <T extends object>(body: T): { body: T } => ({ body });

/** Makes a request with a query. */
export const inQuery = <T extends object>(query: T): { query: T } => ({ query });

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/**
 * Returns the text of a query. Repeats the name for each item of a list, because the reference says "list" but shows no
 * encoding.
 */
function queryText(query: object): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined && item !== null) params.append(name, String(item));
    }
  }
  return params.toString();
}

/**
 * Replaces each `{…}` of a path template by an id.
 * @throws TypeError for an id that would change the path
 */
function fillPath(template: string, ids: readonly (string | number)[]): string {
  let next = 0;
  return template.replaceAll(/\{\w+\}/g, () => {
    const id = String(ids[next++] ?? '');
    if (id === '' || id === '.' || id === '..') throw new TypeError(`${template}: "${id}" is no id`);
    return encodeURIComponent(id);
  });
}

/**
 * Prepares the request for an endpoint (`METHOD /path/{id}`).
 * @throws TypeError for an id that would change the path
 */
export function prepareRequest(endpoint: string, parts: RequestParts): PreparedRequest {
  const space = endpoint.indexOf(' ');
  const method = endpoint.slice(0, space) as Method;
  const path = fillPath(endpoint.slice(space + 1), parts.ids ?? []);
  const { query, body, form, secrets } = parts;
  const spoken = query === undefined ? '' : queryText(query);
  const hidden = query === undefined || secrets === undefined ? '' : queryText(secrets);
  const sent = [spoken, hidden].filter((text) => text !== '').join('&');
  const asked = body ?? form ?? (spoken === '' ? undefined : query);
  const canonical = asked === undefined ? '' : canonicalJson(asked);
  // The body has the secrets, the request key does not.
  const json = body && (secrets === undefined ? canonical : canonicalJson({ ...body, ...secrets }));
  return {
    method,
    path: sent === '' ? path : `${path}?${sent}`,
    body: form ? queryText({ ...form, ...secrets }) : (json ?? null),
    headers: form ? { ...FORM, ...parts.headers } : (parts.headers ?? null),
    key: canonical === '' ? `${method} ${path}` : `${method} ${path} ${canonical}`,
  };
}
