import type { FetchedStreamName } from '../streams/streams.js';

/**
 * Why an entity is due.
 * - new: no search listed it before this run.
 * - unfetched: known, but never fetched.
 * - event: a watch event came after the last answer.
 * - renamed, status: the search shows another name or status than the company record.
 * - entered: in the market tonight, but not the night before.
 * - left: in the market the night before, but not tonight. Only if tonight's search found the whole market.
 * - changed: the tender's entry in the listing changed after its details were fetched.
 * - watched: a watched company. Its events are fetched in every run, by date.
 * - failed: the last attempt brought no answer.
 * - stale: the last answer is older than `refresh` allows.
 */
export type DueReason =
  | 'new'
  | 'unfetched'
  | 'event'
  | 'renamed'
  | 'status'
  | 'entered'
  | 'left'
  | 'changed'
  | 'watched'
  | 'failed'
  | 'stale';

/** An entry of a chunk file. */
export interface DueEntity {
  id: string;
  reason: DueReason;
  /**
   * What the warehouse knows about the entity: for `payee_checks`, the id of the latest check; for `payee_reports`, the
   * questions of the check's payees, as JSON.
   */
  about?: string | null;
}

/** Counts of the due entities of a stream. The chunk files hold the ids. */
export interface DuePlan {
  stream: FetchedStreamName;
  /** Number of known entities of the stream. `due` counts those to fetch in this run. */
  known: number;
  due: number;
  /** `due` by reason; reasons without entities are left out. */
  reasons: Partial<Record<DueReason, number>>;
  chunks: number;
  chunkSize: number;
  /** True when nothing is due in a run of `retryRejects` or `enrichOwners`. */
  idle: boolean;
  /** True if the plan was drafted together with the plan of an earlier stream. Else the plan has loaded what was landed. */
  drafted?: boolean;
}

/** How many entities of a stream were due, and why. */
export type DueSummary = Pick<DuePlan, 'stream' | 'known' | 'due' | 'reasons'>;
