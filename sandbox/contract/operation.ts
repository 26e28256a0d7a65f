import type { z } from 'zod';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** One route of the API, for the OpenAPI description. */
export interface Operation {
  method: Method;
  /** Path with parameters in braces: `/v2/companies/{id}`. */
  path: string;
  summary: string;
  /** Section of the API reference that describes the route. */
  section: string;
  /** Query parameters. A GET call may also send them in the body. */
  query?: z.ZodObject;
  body?: z.ZodType;
  /** Additional JSON Schema for the body, for rules that its zod schema cannot express. */
  demands?: Record<string, unknown>;
  /** Body in the format `application/x-www-form-urlencoded`. */
  form?: z.ZodObject;
  /** HTTP status of a successful answer. Default: 200. */
  status?: number;
  /** Body of a successful answer. Left out if the answer is HTML or text. */
  response?: z.ZodType;
  html?: true;
  /** Statuses that only this route can return. All routes of the same API version share other statuses. */
  also?: readonly number[];
}
