import { ActivityFailure, ApplicationFailure, CancelledFailure, TerminatedFailure } from '@temporalio/common';
import { WorkflowFailedError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { TidemarkError } from '../../../src/base/errors.js';
import { describeServiceError, runFailure } from '../../../src/temporal/failure.js';

describe('runFailure', () => {
  it("finds our own failure inside Temporal's wrappers", () => {
    const ours = ApplicationFailure.create({
      type: 'Unauthorized',
      message: 'The API refuses the key. Check it.',
      nonRetryable: true,
    });
    const activity = new ActivityFailure(
      'Activity task failed',
      'crawlChunk',
      '1',
      'NON_RETRYABLE_FAILURE',
      'worker',
      ours,
    );
    const error = runFailure(
      new WorkflowFailedError('Workflow execution failed', activity, 'NON_RETRYABLE_FAILURE'),
      'snapshot/demo/2026-11-20',
    );
    expect(error.message).toBe('snapshot/demo/2026-11-20 failed: The API refuses the key. Check it.');
    expect(error.type).toBe('Unauthorized');
  });

  it('distinguishes cancelled and terminated runs from failed ones', () => {
    const cancelled = new WorkflowFailedError(
      'Workflow execution cancelled',
      new CancelledFailure('Workflow canceled'),
      'NON_RETRYABLE_FAILURE',
    );
    expect(runFailure(cancelled, 'tenders/2026-11-20').message).toBe('tenders/2026-11-20 was cancelled.');
    const terminated = new WorkflowFailedError(
      'Workflow execution terminated',
      new TerminatedFailure('by hand'),
      'NON_RETRYABLE_FAILURE',
    );
    expect(runFailure(terminated, 'tenders/2026-11-20').message).toBe('tenders/2026-11-20 was terminated: by hand');
  });
});

describe('describeServiceError', () => {
  const serviceError = (code: number, details: string): Error =>
    Object.assign(
      new Error('Failed to start Workflow', { cause: Object.assign(new Error(details), { code, details }) }),
      { name: 'ServiceError' },
    );

  it('suggests setup when search attributes are missing', () => {
    const error = describeServiceError(serviceError(3, 'no mapping defined for search attribute TidemarkMarket'));
    expect(error).toMatchObject({
      message: expect.stringContaining('TidemarkMarket'),
      todo: expect.stringContaining('tidemark setup'),
    });
  });

  it('reports that Temporal no longer answers', () => {
    const error = describeServiceError(serviceError(14, 'No connection established. Resolution note: '));
    expect(error).toBeInstanceOf(TidemarkError);
    expect(error).toMatchObject({ message: 'Temporal no longer answers: No connection established.' });
  });

  it('returns other errors unchanged', () => {
    const other = new Error('other');
    expect(describeServiceError(other)).toBe(other);
  });
});
