import { isRefused, type PlanAnswer, type PlanRequest } from '../../src/crawl/search/plan/types.js';
import type { SegmentRecord } from '../../schemas/pipeline/landing.js';
import { sortOverflows, type Asked, type LargestDay } from './overflows.js';

/**
 * Causes of waste: requests, or fractions of a request, that listed no new company. `overflows.ts` sorts overflows by
 * cause.
 */
export const CAUSES = [
  'page size', // requests that find out the page size
  'probes', // other requests of the calibration
  'first', // overflow without a leaf just before its window, so that the density was unknown
  'again', // overflow at a position where a wider window overflowed
  'peak', // overflow with more than half the cap on one day
  'near', // overflow by at most a quarter of the cap
  'far', // overflow by more than a quarter
  'splits', // page 1 of a segment that another dimension splits
  'empty', // page 1 of a segment without companies
  'last page', // unused rows of a leaf's last page
  'twice', // rows that an earlier leaf listed: second passes, overlapping values
  'truncated', // further pages of a search above the cap
  'repeated', // deliberate repeats, such as the market's total at the end
  'kept', // negative: companies shown only on pages outside leaves
] as const;
export type Cause = (typeof CAUSES)[number];
export type Waste = Record<Cause, number>;

const SEEN = 1;
const LISTED = 2;

/**
 * Follows a crawl request by request and sorts the waste by cause. The number of requests is the waste plus the full
 * pages that the reached companies would fill.
 */
export class Account {
  requests = 0;
  /** Distinct companies on any page. */
  reached = 0;
  /** Number of leaves with companies. */
  leaves = 0;
  /** Companies on the pages of leaves, including repeated ones. */
  filled = 0;
  /** Number of searches above the page cap. */
  overflows = 0;
  readonly waste = emptyWaste();
  /** Waste by the dimensions of the segment, e.g. `company_status/company_incorporation`. */
  readonly byPath = new Map<string, Waste>();
  /** Flags by company id: shown on any page, shown on a page of a leaf. */
  private readonly marks: Uint8Array;
  private readonly asked: Asked[] = [];
  private readonly large = new Set<string>();
  private listed = 0;

  constructor(
    private readonly size: number,
    private readonly cap: number,
    mostId: number,
  ) {
    this.marks = new Uint8Array(mostId + 1);
  }

  /** Whether any page showed the company. */
  has(id: number): boolean {
    return this.marks[id] !== 0;
  }

  /** Counts a request and its answer. */
  book(request: PlanRequest, answer: PlanAnswer): void {
    const { purpose, segment, page } = request;
    const ids = isRefused(answer) ? [] : answer.ids;
    const total = 'total' in answer ? answer.total : 0;
    this.requests += 1;
    if (purpose === 'segment' && total > this.cap) {
      this.asked.push({ request, total });
      this.large.add(segment);
    } else if (purpose === 'calibration' || purpose === 'guess')
      this.add(segment === 'root' ? 'page size' : 'probes', segment, 1);
    else if (purpose === 'again' || purpose === 'final') this.add('repeated', segment, 1);
    else if (this.large.has(segment)) this.add('truncated', segment, 1);
    else {
      if (page === 1) this.asked.push({ request, total });
      this.bookLeaf(segment, page, ids);
    }
    for (const id of ids) this.mark(Number(id), SEEN);
  }

  /** Ends the account. The final segments show which searches above the cap were overflows and which were splits. */
  close(segments: readonly SegmentRecord[], largestDay: LargestDay): void {
    const narrowed = new Set(segments.filter((s) => s.state === 'calibration').map((s) => s.segment));
    const overflows = this.asked.filter(({ total }) => total > this.cap);
    this.overflows = overflows.length;
    for (const { request } of overflows) if (!narrowed.has(request.segment)) this.add('splits', request.segment, 1);
    const sorted = sortOverflows(this.asked, narrowed, this.cap, largestDay);
    for (const [segment, cause] of sorted) this.add(cause, segment, 1);
    this.add('kept', 'root', (this.listed - this.reached) / this.size);
  }

  private bookLeaf(segment: string, page: number, ids: readonly string[]): void {
    if (page === 1 && ids.length === 0) {
      this.add('empty', segment, 1);
      return;
    }
    if (page === 1) this.leaves += 1;
    this.filled += ids.length;
    const repeated = ids.filter((id) => !this.mark(Number(id), LISTED)).length;
    this.add('last page', segment, 1 - ids.length / this.size);
    this.add('twice', segment, repeated / this.size);
  }

  /** Sets a flag of a company. Returns false if it was already set. */
  private mark(id: number, mark: number): boolean {
    const before = this.marks[id]!;
    this.marks[id] = before | mark;
    if ((before & mark) !== 0) return false;
    if (mark === LISTED) this.listed += 1;
    else this.reached += 1;
    return true;
  }

  private add(cause: Cause, segment: string, requests: number): void {
    const path = segment
      .split('/')
      .slice(1)
      .map((part) => part.split('=')[0])
      .join('/');
    const row = this.byPath.get(path) ?? emptyWaste();
    this.byPath.set(path, row);
    row[cause] += requests;
    this.waste[cause] += requests;
  }
}

function emptyWaste(): Waste {
  return Object.fromEntries(CAUSES.map((cause) => [cause, 0])) as Waste;
}
