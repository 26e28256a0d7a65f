import type { z } from 'zod';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** One route of the API as its description tells it. */
export interface Operation {
  method: Method;
  /** With parameters in braces: `/v2/companies/{id}`. */
  path: string;
  summary: string;
  /** Section of the reference. */
  section: string;
  /** Query parameters; of a GET call also taken from the body. */
  query?: z.ZodObject;
  body?: z.ZodType;
  /** Said of the body beside its schema, in JSON Schema: what a check beyond shapes demands. */
  demands?: Record<string, unknown>;
  /** Body in `application/x-www-form-urlencoded`. */
  form?: z.ZodObject;
  /** Status and body of success; no body schema: HTML or text. */
  status?: number;
  response?: z.ZodType;
  html?: true;
  /** Statuses besides those every route of its family has. */
  also?: readonly number[];
}
