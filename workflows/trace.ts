import {
  ContinueAsNew,
  defaultPayloadConverter,
  proxySinks,
  workflowInfo,
  type Sinks,
  type WorkflowInterceptors,
} from '@temporalio/workflow';

/*
 * Passes the trace of a run on to its activities, child workflows and next executions, and reports the end of the run.
 *
 * Every bundle contains this interceptor, whether tracing is on or off, so tracing changes neither the version of a
 * worker nor a replay. For the same reason, the functions are not async: they add no step between a call and its
 * command. The interceptors of @temporalio/interceptors-opentelemetry add such steps and use random numbers.
 */

/** The header in which the OpenTelemetry interceptors of Temporal pass the trace. */
const HEADER = '_tracer-data';

/** A run as a span. Times are milliseconds since 1970. */
export interface RunSpan {
  /** Value of `traceparent` (W3C Trace Context): trace id and span id of the run. */
  self: string;
  /** Value of `traceparent` of the caller; null if it passed no trace. */
  parent: string | null;
  startedAt: number;
  endedAt: number;
  /** Name of the error with which the run ended; null if it did not fail. */
  error: string | null;
}

/** What workers offer to this interceptor. Not called while a history is replayed. */
export interface TraceSinks extends Sinks {
  trace: { runEnded(span: RunSpan): void };
}

/** The SDK calls this function for each run. */
export const interceptors = (): WorkflowInterceptors => {
  const { trace } = proxySinks<TraceSinks>();
  let self = '';
  const passOn = <Input extends { headers: Record<string, unknown> }>(input: Input): Input => ({
    ...input,
    headers: { ...input.headers, [HEADER]: defaultPayloadConverter.toPayload({ traceparent: self }) },
  });
  return {
    inbound: [
      {
        execute(input, next) {
          const parent = readParent(input.headers[HEADER]);
          self = makeSelf(parent);
          const startedAt = workflowInfo().runStartTime.getTime();
          const end = (error: string | null): void =>
            trace.runEnded({ self, parent, startedAt, endedAt: Date.now(), error });
          const result = next(input);
          void result.then(
            () => end(null),
            (error: unknown) => end(error instanceof ContinueAsNew ? null : nameOf(error)),
          );
          return result;
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(passOn(input)),
        startChildWorkflowExecution: (input, next) => next(passOn(input)),
        continueAsNew: (input, next) => next(passOn(input)),
      },
    ],
  };
};

/** Makes the ids from the id of the run, so that they are the same in every replay. */
function makeSelf(parent: string | null): string {
  const id = workflowInfo().runId.replaceAll('-', '');
  const [, trace = id, , flags = '01'] = parent?.split('-') ?? [];
  return `00-${trace}-${id.slice(16)}-${flags}`;
}

function readParent(payload: Parameters<typeof defaultPayloadConverter.fromPayload>[0] | undefined): string | null {
  if (payload === undefined) return null;
  const { traceparent } = defaultPayloadConverter.fromPayload<{ traceparent?: unknown }>(payload);
  const isValid = typeof traceparent === 'string' && /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(traceparent);
  return isValid ? traceparent : null;
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'Error';
}
