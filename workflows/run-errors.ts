import { ApplicationFailure } from '@temporalio/workflow';
import type { ErrorType } from '../schemas/pipeline/error-type.js';

/** An operator wants the run to end here. */
export class StopRequested extends Error {}

/** A run was started with a second argument, which only runs that continue as new have. */
export function secondArgument(): ApplicationFailure {
  const type: ErrorType = 'InvalidInput';
  const message =
    'Wrong input: the workflow got two arguments. Start it with one; Tidemark uses the second itself when a run continues as new.';
  return ApplicationFailure.nonRetryable(message, type);
}
