import { ApplicationFailure } from '@temporalio/workflow';
import type { ErrorType } from '../../schemas/pipeline/error-type.js';

/** Error that ends the crawl when an operator stopped the run. */
export class StopRequested extends Error {}

/** Returns the error for a start with a second argument. Only runs that continue as new may have one. */
export function secondArgument(): ApplicationFailure {
  return invalidInput(
    'Wrong input: the workflow got two arguments. Start it with one argument. Tidemark adds the second one when a run continues as new.',
  );
}

/** Refuses an input of a workflow or an update. */
export function invalidInput(message: string): ApplicationFailure {
  const type: ErrorType = 'InvalidInput';
  return ApplicationFailure.nonRetryable(message, type);
}
