import { HOUR_MS } from '../../base/time/time.js';
import type { Kind } from './kinds.js';

/*
 * Decides what a failed request means: does only this request fail, or everything? Sends nothing and reads no clock;
 * `askEach` does both.
 *
 * A control request decides. If the API answers it, only the failed item is at fault: it is requested again at the end,
 * then filed as failed. Otherwise the work ends.
 *
 * kind      control request      if the control fails, too
 * --------  -------------------  -------------------------------------------------------------
 * gone      none                 (of a record, this is an answer: call `answered`)
 * invalid   anything *           the attempt ends
 * unusable  anything             the attempt ends
 * fault     anything             the attempt ends; Temporal repeats it
 * key       GET /v2/metrics      the run ends; if the API is down, the attempt
 * refused   another item         the route is closed
 * limit     another item         the attempt ends; after two hours of silence, the route is closed
 * daily     the quota's figure   the run waits for quota
 * closed    none                 (the item is skipped and stays due)
 * fatal     none                 (the work ends at once)
 *
 * * GET /v2/metrics; if it fails, another item
 *
 * The state is the history of answers: for each kind, how many errors came since the last answer (`inARow`), and how
 * many since the last answer or answered control (`unexplained`). `known`: the route has answered. `open`: many requests
 * may be in flight, because the API surely does not refuse all of them.
 *
 * event                     condition                                 new state             verdict
 * ------------------------  ----------------------------------------  --------------------  ---------
 * answered                  -                                         all 0, known, open    -
 * failed: closed            -                                         open                  skip
 * failed                    the table of the work has no such kind    -                     end
 * failed                    inARow ≥ believed, in the first pass      +1                    end
 * failed                    unexplained < after                       +1, open *            later
 * failed                    limit, and two hours of silence           +1                    close
 * failed                    attempt < from                            +1, open *            end
 * failed                    else                                      +1, open *            control
 * controlled                answered                                  unexplained 0, open   later **
 * controlled                not answered                              -                     end, close
 *
 *  * open: not after `refused`, `limit` or `daily`
 * ** `known` if another item answered
 */

/** What is requested. Each has its own table. */
export type Subject =
  | 'records' //      of a stream with one route
  | 'questions' //    of a stream with several routes, each with its own judge
  | 'first page' //   of a listing; no other page can come before it
  | 'page' //         of a listing that has answered
  | 'search' //       of a market
  | 'needed search' // a search without which the plan cannot continue
  | 'guess'; //       a search that tests whether the API knows a filter

/** A request that shows whether the API fails only for one item. `anything`: `metrics`; if it fails, `other`. */
export type ControlName = 'metrics' | 'anything' | 'other' | 'quota';

/** Result of a control request. `none`: there is nothing that could be requested. */
export type Said = 'answered' | 'refused' | 'failed' | 'none';

/**
 * What to do after an event:
 * - skip: the item stays due. later: postpone the item to the end.
 * - control: send the control request `controlOf(kind)`, then call `controlled`.
 * - end: the error ends the work. close: the route is closed.
 */
export type Verdict = 'skip' | 'later' | 'control' | 'end' | 'close';

interface Rule {
  /** Undefined: no control request; the item is postponed. */
  control?: ControlName;
  /** This many unexplained errors lead to the control request. */
  after: number;
  /** Replaces `after` once the route has answered. Does not count in repeat passes, where only failing items are left. */
  afterAnswer?: number;
  /** This many errors in a row in the first pass are believed, whatever the control request says. */
  believed?: number;
  /** Attempt of the activity that sends the first control request. Earlier attempts end. Default: 1. */
  from?: number;
  /** How often an item is requested again before it is filed as failed. */
  repeats: number;
  /** Control request before an item is filed; null: none, because the error shows that the API is up. Default: `control`. */
  filing?: ControlName | null;
}

type Rules = Partial<Record<Kind, Rule>>;

// If a route answers only `limit` for longer than this, the run continues without it.
const LIMIT_PATIENCE_MS = 2 * HOUR_MS;

const MISSING: Rule = { after: Infinity, repeats: 0 };
const UP: Rule = { control: 'anything', filing: null, after: 20, repeats: 0 };
const UP_ONCE: Rule = { control: 'anything', after: 1, repeats: 0 };
const REFUSED: Rule = { control: 'other', after: 3, repeats: 2 };

const RECORDS: Rules = {
  invalid: UP,
  unusable: UP,
  fault: { ...UP, filing: 'anything', repeats: 1 },
  key: { control: 'metrics', after: 1, believed: 10, repeats: 1 },
  refused: { control: 'other', after: 3, afterAnswer: 20, repeats: 1 },
  limit: { control: 'other', after: 3, from: 4, repeats: 4 },
  daily: { control: 'quota', filing: 'other', after: 1, believed: 10, repeats: 2 },
};
const LATE_FAULT: Rule = { control: 'anything', after: 1, from: 4, repeats: 1 };
const LATE_LIMIT: Rule = { control: 'other', after: 1, from: 4, repeats: 1 };
const PAGE: Rules = { fault: LATE_FAULT, limit: LATE_LIMIT };

/** The rule of each kind. A kind without a rule ends the work. */
const RULES: Record<Subject, Rules> = {
  records: RECORDS,
  questions: { ...RECORDS, refused: { after: Infinity, repeats: 1 } },
  'first page': { refused: REFUSED, ...PAGE },
  page: { gone: MISSING, invalid: MISSING, unusable: MISSING, refused: MISSING, ...PAGE },
  search: { gone: LATE_FAULT, invalid: MISSING, unusable: UP_ONCE, refused: REFUSED, ...PAGE },
  'needed search': { invalid: MISSING, refused: REFUSED },
  guess: {
    gone: UP_ONCE,
    invalid: MISSING,
    unusable: UP_ONCE,
    fault: UP_ONCE,
    key: { control: 'metrics', after: 1, repeats: 0 },
    refused: UP_ONCE,
    limit: LATE_LIMIT,
  },
};

/** Judges the errors of one attempt on one route. */
export class Judge {
  readonly #rules: Rules;
  readonly #attempt: number;
  #known: boolean;
  #open = false;
  #isRepeating = false;
  #inARow: Partial<Record<Kind, number>> = {};
  #unexplained: Partial<Record<Kind, number>> = {};

  /**
   * @param attempt number of the activity's attempt, from 1
   * @param known whether the route has answered before
   */
  constructor(subject: Subject, { attempt = 1, known = false }: { attempt?: number; known?: boolean } = {}) {
    this.#rules = RULES[subject];
    this.#attempt = attempt;
    this.#known = known;
  }

  /** Whether many requests may be in flight. */
  get isOpen(): boolean {
    return this.#open;
  }

  /** Number of errors of a kind since the last answer. */
  inARow(kind: Kind): number {
    return this.#inARow[kind] ?? 0;
  }

  /** How often an item that failed so is requested again. */
  repeatsOf(kind: Kind): number {
    return this.#rules[kind]?.repeats ?? 0;
  }

  /** From now on, only items that failed before are requested. Many errors in a row are then normal. */
  startRepeating(): void {
    this.#isRepeating = true;
  }

  /** Call it for an answer of the route. */
  answered(): void {
    this.#inARow = {};
    this.#unexplained = {};
    this.#known = this.#open = true;
  }

  /**
   * Judges a failed request.
   * @param silentMs how long the route has not answered
   */
  failed(kind: Kind, silentMs = 0): Verdict {
    const rule = this.#rules[kind];
    if (kind === 'closed') {
      this.#open = true;
      return 'skip';
    }
    if (rule === undefined) return 'end';
    this.#inARow[kind] = this.inARow(kind) + 1;
    this.#unexplained[kind] = (this.#unexplained[kind] ?? 0) + 1;
    if (!this.#isRepeating && this.inARow(kind) >= (rule.believed ?? Infinity)) return 'end';
    this.#open ||= !['refused', 'limit', 'daily'].includes(kind);
    return (this.#unexplained[kind] ?? 0) < this.#enough(rule) ? 'later' : this.#control(kind, rule, silentMs);
  }

  /**
   * Judges whether an item may be filed as failed: has the API answered anything since the item failed?
   * @returns `later` if so; else as `failed`
   */
  beforeFiling(kind: Kind, silentMs = 0): Verdict {
    const rule = this.#rules[kind];
    if (rule?.control === undefined || rule.filing === null) return 'later';
    const count = kind === 'daily' ? this.inARow(kind) : (this.#unexplained[kind] ?? 0);
    const isExplained = count === 0 || (kind === 'refused' && this.#known);
    return isExplained && this.#attempt >= (rule.from ?? 1) ? 'later' : this.#control(kind, rule, silentMs);
  }

  /** The control request after an error of this kind. */
  controlOf(kind: Kind, isFiling = false): ControlName | undefined {
    const rule = this.#rules[kind];
    return isFiling ? (rule?.filing ?? rule?.control) : rule?.control;
  }

  /** Judges the result of the control request that an error of this kind led to. */
  controlled(kind: Kind, said: Said): Verdict {
    const isOther = this.controlOf(kind) === 'other';
    const isRoute = kind === 'refused' && isOther;
    // Another item that fails for another reason shows that the API does not refuse the route.
    const isExcused = isRoute
      ? said === 'failed' || (said === 'none' && this.#known)
      : kind === 'daily' && said === 'none';
    if (said !== 'answered' && !isExcused) return isRoute ? 'close' : 'end';
    this.#unexplained[kind] = 0;
    this.#known ||= said === 'answered' && isOther;
    this.#open = true;
    return 'later';
  }

  #control(kind: Kind, rule: Rule, silentMs: number): Verdict {
    if (kind === 'limit' && silentMs > LIMIT_PATIENCE_MS) return 'close';
    if (this.#attempt < (rule.from ?? 1)) return 'end';
    return rule.control === undefined ? 'later' : 'control';
  }

  #enough({ after, afterAnswer }: Rule): number {
    if (!this.#known || afterAnswer === undefined) return after;
    return this.#isRepeating ? Infinity : afterAnswer;
  }
}
