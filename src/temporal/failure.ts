import { ErrorType } from '../../schemas/pipeline/error-type.js';
import { TidemarkError } from '../base/errors.js';

/**
 * The fields of Temporal's failures that this file uses. They are declared here, so that printing an error does not
 * load the Temporal client.
 */
interface FailureLike extends Error {
  type?: string | null;
  details?: unknown;
  code?: number;
}

/**
 * Converts a run's failure into an error with a remedy. Uses the inner failure, which Tidemark threw: if there is a
 * remedy, its message ends with it (activities/run/cast-errors.ts). The outer failures only name the workflows that contain
 * it.
 */
export function runFailure(error: unknown, workflowId: string): TidemarkError {
  const { name, message, type } = innerFailure(error);
  const known = ErrorType.safeParse(type);
  const todo = "Read the run's history in the Temporal UI; `tidemark runs` shows its record.";
  if (name === 'CancelledFailure')
    return new TidemarkError('Internal', `${workflowId} was cancelled.`, { todo, cause: error });
  if (name === 'TerminatedFailure')
    return new TidemarkError('Internal', `${workflowId} was terminated: ${message}`, { todo, cause: error });
  return new TidemarkError(known.success ? known.data : 'Internal', `${workflowId} failed: ${message}`, {
    todo,
    cause: error,
  });
}

/** Returns why a run failed, with the remedy: the message of the inner failure, as in `runFailure`. */
export function failureMessage(error: unknown): string {
  return innerFailure(error).message;
}

/** Returns the type of the inner failure (ErrorType), if Tidemark threw it; otherwise null. */
export function failureType(error: unknown): string | null {
  return innerFailure(error).type ?? null;
}

function innerFailure(error: unknown): FailureLike {
  let cause: unknown = error;
  while (cause instanceof Error && cause.cause instanceof Error && !isOurs(cause)) cause = cause.cause;
  return cause as FailureLike;
}

function isOurs(error: Error): boolean {
  return ErrorType.safeParse((error as FailureLike).type).success;
}

// gRPC status code UNAVAILABLE.
const UNAVAILABLE = 14;

/** Converts an error of the Temporal service into a TidemarkError with a remedy. Returns any other error unchanged. */
export function describeServiceError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === 'NamespaceNotFoundError') {
    return new TidemarkError('InvalidConfig', `Temporal: ${error.message}.`, {
      todo: 'Set TEMPORAL_NAMESPACE to an existing namespace, or create it: temporal operator namespace create -n …',
      cause: error,
    });
  }
  if (error.name !== 'ServiceError') return error;
  const { details, code } = (error.cause ?? {}) as Partial<FailureLike>;
  const message = typeof details === 'string' && details !== '' ? details : error.message;
  if (code === UNAVAILABLE) {
    return new TidemarkError(
      'Internal',
      `Temporal no longer answers: ${message.split(' Resolution note')[0] ?? message}`,
      {
        todo: 'Runs continue by themselves when Temporal is back. Give the same command again to follow a run.',
        cause: error,
      },
    );
  }
  const unknownAttribute = /search attribute|TidemarkMarket|TidemarkDate/i.test(message);
  const todo = unknownAttribute
    ? 'Run `tidemark setup` once for this namespace.'
    : 'Run `tidemark doctor`; it checks the server, its namespace and the search attributes.';
  return new TidemarkError('Internal', `Temporal refuses the request: ${message}`, { todo, cause: error });
}
