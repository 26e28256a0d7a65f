import { ApplicationFailure } from '@temporalio/workflow';
import type { ErrorType } from '../schemas/pipeline/error-type.js';

/** An operator wants the run to end here. */
export class StopRequested extends Error {}

/** A run was started with a second argument, which only runs that continue as new have. */
export function secondArgument(): ApplicationFailure {
  const type: ErrorType = 'InvalidInput';
  const message = 'Wrong input: a run takes one argument; the second is for runs that go on as new. Start it with one.';
  return ApplicationFailure.nonRetryable(message, type);
}
