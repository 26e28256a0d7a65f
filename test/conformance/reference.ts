import authentication from './reference/authentication.json' with { type: 'json' };
import envelopes from './reference/envelopes.json' with { type: 'json' };
import errors from './reference/errors.json' with { type: 'json' };
import filters from './reference/filters.json' with { type: 'json' };
import indicators from './reference/indicators.json' with { type: 'json' };
import limits from './reference/limits.json' with { type: 'json' };
import nomenclatures from './reference/nomenclatures.json' with { type: 'json' };
import payeeRules from './reference/payee-rules.json' with { type: 'json' };
import records from './reference/records.json' with { type: 'json' };
import routes from './reference/routes.json' with { type: 'json' };
import watchFields from './reference/watch-fields.json' with { type: 'json' };
import watchStates from './reference/watch-states.json' with { type: 'json' };
import webhook from './reference/webhook.json' with { type: 'json' };

/*
 * The API reference as data: routes, parameters, records, filters, field names, errors, limits and stated values.
 * types.ts reads its types; null is what the reference does not state.
 */

export type Place = 'path' | 'query' | 'body' | 'form';

export interface Parameter {
  name: string;
  /** Places where it may be sent; several where the reference's tables and samples differ. */
  in: Place[];
  type: string | null;
  required: boolean | null;
  requiredWhen?: string;
  default?: unknown;
  maximum?: number;
}

export interface Route {
  group: 'v1' | 'v2' | 'connector';
  section: string;
  method: string;
  path: string;
  /** HTTP status of success. */
  status: number | null;
  parameters: Parameter[];
  /** Type of a successful answer, or its envelope and the type of the items. */
  response: { type: string } | { envelope: string; of: string } | null;
}

export interface FilterTable {
  section: string;
  route: string;
  /** Names of a range's bounds. */
  range?: [string, string];
  keys: Record<string, string>;
}

export const ROUTES = routes as Route[];
export const RECORDS = records as Record<string, { section: string; fields: Record<string, string> }>;
export const ENVELOPES = envelopes as Record<string, Record<string, string>>;
export const FILTERS = filters as typeof filters & Record<string, FilterTable>;
export { authentication, errors, indicators, limits, nomenclatures, payeeRules, watchFields, watchStates, webhook };

/** Name of a route as used by sandbox and client: `GET /v2/companies/{id}`. */
export function nameOf({ method, path }: Pick<Route, 'method' | 'path'>): string {
  return `${method} ${path}`;
}

/** The route of a name; throws if the reference has none. */
export function routeNamed(name: string): Route {
  const found = ROUTES.find((route) => nameOf(route) === name);
  if (found === undefined) throw new Error(`the reference has no route ${name}`);
  return found;
}

/** Type of a route's whole answer; an envelope is a record whose list holds the items. */
export function answerType({ response }: Route): string {
  if (response === null) return 'any';
  return 'type' in response ? response.type : `${response.envelope} envelope of ${response.of}`;
}

/** Fields of a record, or of an envelope with its items (`… envelope of …`); undefined for other names. */
export function fieldsOf(type: string): Record<string, string> | undefined {
  const [envelope, item] = type.split(' envelope of ', 2) as [string, string?];
  if (item === undefined) return RECORDS[type]?.fields;
  const fields = Object.entries(ENVELOPES[envelope] ?? {});
  return Object.fromEntries(fields.map(([name, of]) => [name, of === 'array' ? `array of ${item}` : of]));
}
