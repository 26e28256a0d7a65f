import type { FastifyError, FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import type { ApiError } from '../../../schemas/explorer/api.js';
import { errorMessage, TidemarkError } from '../../base/errors.js';
import { NotPublishedError } from '../../warehouse/duckdb/errors.js';

/** A message may repeat parts of the request. */
const LONGEST = 2_000;

/** Answers errors as JSON with cause and remedy. */
export function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler(async (error: FastifyError | Error, _, reply) =>
    reply.code(statusOf(error)).send(describe(error)),
  );
  app.setNotFoundHandler(async (_, reply: FastifyReply) =>
    reply.code(404).send({ error: { message: 'There is no such address.', todo: 'Start at /.' } } satisfies ApiError),
  );
}

function statusOf(error: unknown): number {
  if (error instanceof z.ZodError) return 400;
  if (error instanceof NotPublishedError) return 503;
  if (error instanceof TidemarkError) return error.type === 'InvalidInput' ? 400 : 500;
  const status = (error as Partial<FastifyError>).statusCode;
  return status !== undefined && status >= 400 && status < 500 ? status : 500;
}

function describe(error: unknown): ApiError {
  if (error instanceof z.ZodError) {
    const [issue] = error.issues;
    const message = shorten(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`);
    return { error: { message, todo: 'Correct the address.' } };
  }
  const todo = error instanceof TidemarkError ? error.todo : 'Reload the page. If it happens again, see the terminal.';
  return { error: { message: shorten(errorMessage(error)), todo } };
}

function shorten(message: string): string {
  return message.length > LONGEST ? `${message.slice(0, LONGEST)}…` : message;
}
