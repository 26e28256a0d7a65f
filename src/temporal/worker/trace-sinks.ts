import type { InjectedSinks } from '@temporalio/worker';
import type { RunSpan, TraceSinks } from '../../../workflows/trace.js';

/** Facts about a run that the SDK adds to each call of a sink. */
export interface TracedRun {
  workflowType: string;
  workflowId: string;
  runId: string;
}

/**
 * Returns the sinks that each worker offers to its workflows (workflows/trace.ts).
 * @param onEnd called at the end of each run; by default, does nothing
 */
export function traceSinks(
  onEnd: (run: TracedRun, span: RunSpan) => void = () => undefined,
): InjectedSinks<TraceSinks> {
  return { trace: { runEnded: { fn: onEnd, callDuringReplay: false } } };
}
