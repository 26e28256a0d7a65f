import { z } from 'zod';
import { ValidationErrorBody } from '../../schemas/connector/error.js';
import { V1ErrorBody } from '../../schemas/v1/error.js';
import { DetailError, InvalidRequest, LimitErrorBody } from '../../schemas/v2/error.js';
import type { Statuses } from '../options.js';
import { permissionFor } from '../http/permissions.js';
import { CONNECTOR_OPERATIONS, CONNECTOR_OWN } from './connector-operations.js';
import type { Operation } from './operation.js';
import { V1_OPERATIONS } from './v1-operations.js';
import { ALTERNATE_OPERATIONS, V2_OPERATIONS } from './v2-operations.js';

/** All 67 routes of the reference. */
export const OPERATIONS: readonly Operation[] = [...V2_OPERATIONS, ...V1_OPERATIONS, ...CONNECTOR_OPERATIONS];

type Json = Record<string, unknown>;

/** Builds the OpenAPI 3.1 description. Uses the same schemas that check the requests. */
export function buildOpenApi(statuses: Statuses): Json {
  const paths: Record<string, Json> = {};
  for (const operation of [...OPERATIONS, ...ALTERNATE_OPERATIONS]) {
    (paths[operation.path] ??= {})[operation.method.toLowerCase()] = describe(operation, statuses);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Company Data API (sandbox)',
      version: '2.0.0',
      description:
        'The routes of the Company Data API, with the data of an invented market. sandbox/README.md lists the assumptions.',
    },
    servers: [{ url: '/' }],
    paths,
    components: {
      securitySchemes: {
        token: { type: 'apiKey', in: 'header', name: 'Authorization', description: '`Token <API_KEY>`' },
      },
    },
  };
}

function describe(operation: Operation, statuses: Statuses): Json {
  const { method, path, summary, section, body, form } = operation;
  const content = body
    ? { 'application/json': { schema: { ...schemaOf(body, 'input'), ...operation.demands } } }
    : form
      ? { 'application/x-www-form-urlencoded': { schema: schemaOf(form, 'input') } }
      : null;
  return {
    operationId: `${method.toLowerCase()}${path.replaceAll(/[^a-z0-9]+/gi, '_').replace(/_$/, '')}`,
    summary,
    tags: [section],
    security: isOpen(operation) ? [] : [{ token: [] }],
    parameters: [...pathParameters(path), ...queryParameters(operation.query)],
    ...(content && { requestBody: { required: operation.demands !== undefined || isRequired(body ?? form), content } }),
    responses: responsesOf(operation, statuses),
  };
}

/** Returns whether a route needs no Authorization header. Only the routes of the connector need none. */
function isOpen({ path }: Operation): boolean {
  return !path.startsWith('/v');
}

/** Returns whether a route requires a body. If all fields are optional, the body is not required. */
function isRequired(schema: z.ZodType | undefined): boolean {
  return schema !== undefined && !schema.safeParse({}).success;
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
}

function queryParameters(query: z.ZodObject | undefined): Json[] {
  const schema = query && (schemaOf(query, 'input') as { properties?: Record<string, Json>; required?: string[] });
  return Object.entries(schema?.properties ?? {}).map(([name, property]) => ({
    name,
    in: 'query',
    required: schema?.required?.includes(name) ?? false,
    schema: property,
  }));
}

function responsesOf(operation: Operation, statuses: Statuses): Json {
  const { status = 200, html, also = [] } = operation;
  const success = html
    ? { 'text/html': {}, 'text/plain': {} }
    : { 'application/json': { schema: schemaOf(answerOf(operation), 'output') } };
  const out: Record<string, Json> = { [status]: { description: 'Success', content: success } };
  for (const [code, description, schema] of errorsOf(operation, statuses)) {
    const known = out[code]?.['x-schemas'] as z.ZodType[] | undefined;
    const schemas = [...(known ?? []), schema];
    out[code] ??= { description };
    out[code]['x-schemas'] = schemas;
    const shape = schemas.length === 1 ? schemas[0]! : z.union(schemas as [z.ZodType, z.ZodType]);
    out[code]['content'] = { 'application/json': { schema: schemaOf(shape, 'output') } };
  }
  for (const code of also)
    out[code] ??= {
      description: code === 200 ? 'A screen' : 'Refused',
      content: { 'text/html': {}, 'application/json': {} },
    };
  for (const entry of Object.values(out)) delete entry['x-schemas'];
  return out;
}

/** Returns the schema of a successful answer. The connector's `/api` routes also send their errors with status 200. */
function answerOf({ path, response = z.unknown() }: Operation): z.ZodType {
  if (!path.startsWith('/api') || path === '/api/verify-token') return response;
  if (CONNECTOR_OWN.has(path)) return z.union([response, DetailError]);
  return z.union([response, DetailError, InvalidRequest, LimitErrorBody]);
}

/** Returns status, description and body of the errors that a route can return. */
function errorsOf(
  { path, also = [], query, body, form }: Operation,
  statuses: Statuses,
): [number, string, z.ZodType][] {
  const takesInput = query ?? body ?? form;
  if (path.startsWith('/v1')) {
    const names: [number, string][] = [
      [401, 'TokenVerificationError'],
      [403, 'ProductPermissionDenied'],
      [406, 'InvalidRequest'],
      [500, 'InternalError'],
    ];
    if (also.includes(404)) names.push([404, 'IdNotFound']);
    return names.map(([code, name]) => [code, name, V1ErrorBody]);
  }
  if (!path.startsWith('/v2')) {
    const errors: [number, string, z.ZodType][] = takesInput ? [[422, 'Validation error', ValidationErrorBody]] : [];
    return errors;
  }
  const errors: [number, string, z.ZodType][] = [
    [statuses.token, 'TokenVerificationError', DetailError],
    [statuses.limit, 'LimitError', LimitErrorBody],
    [statuses.internal, 'InternalError', DetailError],
  ];
  if (takesInput) errors.push([statuses.invalid, 'InvalidRequest', InvalidRequest]);
  if (permissionFor(path) !== null) {
    errors.push([statuses.permission, 'Permission missing', DetailError]);
    errors.push([statuses.permission, 'Permission missing', LimitErrorBody]);
  }
  if (also.includes(404)) errors.push([statuses.notFound, 'Not found', DetailError]);
  return errors;
}

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  return rest;
}
