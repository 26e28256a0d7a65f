import { defaultTextMapGetter, propagation, ROOT_CONTEXT, SpanStatusCode } from '@opentelemetry/api';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import { OpenTelemetryWorkflowClientInterceptor } from '@temporalio/interceptors-opentelemetry/lib/client/index.js';
import { OpenTelemetryActivityInboundInterceptor } from '@temporalio/interceptors-opentelemetry/lib/worker/index.js';
import type { WorkerOptions } from '@temporalio/worker';
import type { RunSpan } from '../../../workflows/trace.js';
import type { Tracing } from '../../serve/tracing/tracing.js';
import { traceSinks, type TracedRun } from './trace-sinks.js';

/**
 * Makes a span of each start of a workflow, and passes the trace on to the run. Makes a span of each signal and update,
 * too. Leaves out queries, because `tidemark` queries a run twice a second to show its progress.
 */
export function traceCalls({ tracer }: Tracing): WorkflowClientInterceptor {
  const all = new OpenTelemetryWorkflowClientInterceptor({ tracer });
  return {
    startWithDetails: all.startWithDetails.bind(all),
    signal: all.signal.bind(all),
    startUpdate: all.startUpdate.bind(all),
  };
}

/** Returns options for a worker that makes a span of each run and of each attempt of an activity. */
export function traceWork(tracing: Tracing): Pick<WorkerOptions, 'interceptors' | 'sinks'> {
  const { tracer } = tracing;
  return {
    interceptors: {
      activity: [(activity) => ({ inbound: new OpenTelemetryActivityInboundInterceptor(activity, { tracer }) })],
    },
    sinks: traceSinks((run, span) => recordRun(tracing, run, span)),
  };
}

/** Makes the span of a run that ended. Its activities are already children of the span, because the run chose its id. */
function recordRun({ tracer, ids }: Tracing, { workflowType, workflowId, runId }: TracedRun, run: RunSpan): void {
  const [, trace = '', span = ''] = run.self.split('-');
  const parent =
    run.parent === null
      ? ROOT_CONTEXT
      : propagation.extract(ROOT_CONTEXT, { traceparent: run.parent }, defaultTextMapGetter);
  const options = {
    startTime: run.startedAt,
    // The names that the interceptors of the package use.
    attributes: { temporalWorkflowId: workflowId, run_id: runId, ...(run.error && { 'error.type': run.error }) },
  };
  const made = ids.use({ trace, span }, () => tracer.startSpan(`RunWorkflow:${workflowType}`, options, parent));
  made.setStatus({ code: run.error === null ? SpanStatusCode.OK : SpanStatusCode.ERROR });
  made.end(run.endedAt);
}
