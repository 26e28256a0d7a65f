import { isRefused, type PlanAnswer, type PlanRequest } from '../../src/planner/types.js';
import type { SegmentRecord } from '../../schemas/pipeline/landing.js';
import { sortOverflows, type Asked, type LargestDay } from './overflows.js';

/** Where requests, or parts of one, went that listed nobody new. Overflows are told apart in `overflows.ts`. */
export const CAUSES = [
  'page size', // asked to learn the page size
  'probes', // asked to learn how a dimension filters
  'first', // overflow at the start of a sweep, or of a part of it
  'again', // overflow from a position that overflowed before
  'peak', // overflow with a day that holds more than half the cap
  'near', // overflow by less than a quarter of the cap
  'far', // overflow by more
  'splits', // page 1 of a segment that another dimension splits
  'empty', // page 1 of a segment without companies
  'last page', // rows that a leaf's last page had no companies for
  'twice', // rows that a leaf listed before: second passes, overlapping values
  'truncated', // further pages of a search above the cap
  'repeated', // asked once more on purpose; the market's total at the end
  'kept', // below zero: companies that only the pages above showed
] as const;
export type Cause = (typeof CAUSES)[number];
export type Waste = Record<Cause, number>;

const SEEN = 1;
const LISTED = 2;

/**
 * Follows a crawl request by request and says where those went that listed nobody new. Together with the companies
 * reached, in full pages, the causes are all the requests.
 */
export class Account {
  requests = 0;
  /** Distinct companies on any page. */
  reached = 0;
  /** Leaves that hold somebody, their companies, and the searches above the cap. */
  leaves = 0;
  filled = 0;
  overflows = 0;
  readonly waste = emptyWaste();
  /** The same by the dimensions of the segment, e.g. `company_status/company_incorporation`. */
  readonly byPath = new Map<string, Waste>();
  /** By id: whether a page, and whether a leaf's page, showed the company. */
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

  /** Whether a company was on any page. */
  has(id: number): boolean {
    return this.marks[id] !== 0;
  }

  /** Books a request and its answer. */
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

  /** Ends the account: what the plan made of its segments tells overflows from splits. */
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

  /** False when the company was marked so before. */
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
