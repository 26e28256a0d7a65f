import { withSentence, type StatedReason } from '../../schemas/pipeline/reason.js';

/** What a run knows about its failed records, as `CarriedRun` holds it. */
interface Failures {
  why: StatedReason[];
  notes: string[];
  /** Number of failed records by stream and chunk. */
  failed: Record<string, number>;
}

/**
 * Counts the failed records of a chunk. One reason, with its note, counts those of a stream. A chunk that is fetched again
 * counts once. Pure, except that it changes `run`.
 * @returns a new reason; null if nothing changed, or if the run has a reason for the stream already, which then has the
 * new number
 */
export function countFailed(run: Failures, stream: string, chunk: number, records: number): StatedReason | null {
  const { why, notes, failed } = run;
  const key = `${stream} ${chunk}`;
  const known = failed[key] ?? 0;
  if (records <= known) return null;
  failed[key] = records;
  const at = why.findIndex(({ code, values }) => code === 'records_failed' && values.stream === stream);
  const before = why[at];
  const counted = before?.code === 'records_failed' ? before.values.records : 0;
  const reason = withSentence({ code: 'records_failed', values: { stream, records: counted + records - known } });
  if (before === undefined) return reason;
  why[at] = reason;
  notes[notes.indexOf(before.reason)] = reason.reason;
  return null;
}
