import { formatCount, formatInstant } from '../../../schemas/format.js';
import { FETCHED } from '../../../schemas/streams/streams.js';
import type { Progress } from '../../../schemas/pipeline/run.js';
import type { OpenGate } from '../../temporal/runs/quota-gates.js';

/** Records of a step that a run still has to fetch. An unfinished chunk counts as a whole, so this may be too high. */
export interface WorkLeft {
  /** Name of the step, as in the progress. */
  step: string;
  records: number;
}

const FETCHES = new Set(Object.keys(FETCHED).map((stream) => stream.replaceAll('_', ' ')));

/**
 * Lists the records that the steps in progress still have to fetch. Most records cost one call. Leaves out
 * steps that have not begun, and searches, whose number of calls is unknown.
 */
export function workLeft({ steps }: Pick<Progress, 'steps'>): WorkLeft[] {
  return steps.flatMap(({ name, done, total, state }) =>
    state !== 'done' && total !== null && total > done && FETCHES.has(name)
      ? [{ step: name, records: total - done }]
      : [],
  );
}

/** Describes a quota gate for people, as lines without indent: the quota, the next reading, and the waiting runs. */
export function describeGate(
  { quota, readsAt, waiting }: OpenGate,
  leftOf: (workflowId: string) => readonly WorkLeft[],
): string[] {
  const figure =
    quota === null
      ? 'the daily quota is used up'
      : `${formatCount(quota.used)} of ${formatCount(quota.total)} calls used, read at ${formatInstant(quota.readAt)}`;
  const next = readsAt === null ? 'the quota is being read now' : `next reading at ${formatInstant(readsAt)}`;
  const runs = waiting.map((workflowId, i) => {
    const left = leftOf(workflowId).map(({ step, records }) => `${formatCount(records)} calls for ${step}`);
    return `${i + 1}. ${workflowId}${left.length === 0 ? '' : `, needs about ${left.join(' and ')}`}`;
  });
  return [
    figure,
    `${next}; ${waiting.length === 1 ? 'this run waits' : `${formatCount(waiting.length)} runs wait, in this order`}:`,
    ...runs,
  ];
}
