import { z } from 'zod';
import { ValidationErrorBody } from '../../schemas/connector/error.js';
import { V1ErrorBody } from '../../schemas/v1/error.js';
import { DetailError, InvalidRequest } from '../../schemas/v2/error.js';

/** The error shapes of each version: section "Errors" of each document. */
export const V1Shape = V1ErrorBody;
export const V2Shape = z.union([
  DetailError,
  InvalidRequest,
  z.looseObject({ fields: z.array(z.string()) }),
  z.looseObject({ error_guard: z.string() }),
]);
/** Shapes of the connector: its validation error, or the version 2 answer that it passes on. */
export const ConnectorErrorShape = z.union([ValidationErrorBody, V2Shape]);
