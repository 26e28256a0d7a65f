import { costOf, usable } from './calibration/choose-dimension.js';
import type { DimensionFacts } from './calibration/dimension-facts.js';
import type { CrawlState, Gap, Hunt, Offer } from './crawl-state.js';
import { plainReason } from '../../../../schemas/pipeline/reason.js';
import { readTop } from './leaf.js';
import { askAgain, askFirst } from './questions.js';
import { addPage, lostOf, missingOf, type Segment } from './tree.js';
import { isRefused, type Dimension } from './types.js';

// Until a second pass has found a company, it may send `price` × TRIAL × P requests. P is the number of the
// segment's pages. If TRIAL × P is below LEAST_TRIAL, LEAST_TRIAL counts instead.
const TRIAL = 0.13;
const LEAST_TRIAL = 10;
// A pass ends early after this share of its estimated requests, unless the companies that it finds are worth more.
const EARLY_END = 0.8;
// If totals are capped, nobody knows how many companies a pass can find. Then a pass may send TRUST requests for each
// page of the segment. For a small segment, LEAST_TRUST pages count.
const TRUST = 1.25;
const LEAST_TRUST = 30;
// To count the companies without a value in n dimensions takes 2^n requests. So count with at most this many
// dimensions.
const MOST_COUNTED = 2;

/** Reason for missing companies, if the search of a segment stopped at the plan's request limit. */
export const BEYOND_REASON = plainReason('contradiction');

/** The split of a segment along one dimension. */
export interface SplitStep {
  segment: Segment;
  facts: DimensionFacts;
  /** The dimensions along which the parts may be split further. */
  rest: readonly Dimension[];
  hunt: Hunt | null;
  /** Called from time to time during the split. If it returns true, the split ends early. */
  enough?: () => boolean;
}

/** Sweeps a segment along one more dimension. Ends early if `enough` returns true. */
export type Walk = (state: CrawlState, step: SplitStep) => Promise<void>;

/** Notes that the split of a segment did not find all of its companies. `fillGaps` looks for the others. */
export async function noteGap(state: CrawlState, gap: Omit<Gap, 'known' | 'earned' | 'offers'>): Promise<void> {
  const { segment } = gap;
  if (state.price === 0 || state.isBeyondReason) {
    segment.shortfall = state.price === 0 ? plainReason('not_searched') : BEYOND_REASON;
    return;
  }
  if (!segment.uncounted) {
    const again = await askAgain(state, segment);
    if (!isRefused(again)) addPage(segment, again);
    if (lostOf(segment) === 0) return;
  }
  state.gaps.push({ ...gap, known: new Set(segment.found), earned: 0, offers: null });
  for (const whole of [segment, ...above(segment)]) whole.kept = true;
}

/**
 * Runs second passes after the whole market was searched, to find companies without a value in the dimensions of the
 * first splits. Starts with those that need the fewest requests per company. A pass runs if it costs at most `price`
 * requests per company, or if the budget of the remainder pays for it.
 */
export async function fillGaps(state: CrawlState, walk: Walk): Promise<void> {
  const { gaps, price, tree } = state;
  const before = { requests: state.requests.asked, found: tree.root.distinct };
  const budget = state.budget();
  const spent = () => ({ requests: state.requests.asked - before.requests, found: tree.root.distinct - before.found });
  while (!state.isBeyondReason) {
    for (const gap of gaps) gap.offers ??= await offersFor(state, gap);
    const { requests, found } = spent();
    let room = budget + price * found - requests;
    const affordable = gaps
      .filter(({ offers }) => offers!.length > 0)
      .sort((a, b) => byPrice(a.offers![0]!, b.offers![0]!) || (a.segment.id < b.segment.id ? -1 : 1))
      .filter((gap) => {
        const best = gap.offers![0]!;
        if (best.cost <= worthOf(state, gap, best)) return true;
        if (gap.outer || gap.segment.uncounted || best.cost > room) return false;
        room -= best.cost;
        return true;
      });
    if (affordable.length === 0) break;
    // A segment waits for its parts, because it would find the same companies.
    const waiting = new Set(affordable.flatMap(({ segment }) => above(segment)));
    await Promise.all(
      affordable.filter(({ segment }) => !waiting.has(segment)).map((gap) => runPass(state, gap, walk)),
    );
  }
  await Promise.all(gaps.map((gap) => readRest(state, gap)));
  for (const gap of gaps) explain(state, gap, spent());
}

/** Returns the segments above a segment. */
function above({ parent }: Segment): Segment[] {
  return parent ? [parent, ...above(parent)] : [];
}

/** Returns the possible second passes over a segment. The one that needs the fewest requests comes first. */
async function offersFor(state: CrawlState, gap: Gap): Promise<Offer[]> {
  const gain = wantedIn(gap);
  if (gain === 0) return [];
  const dimensions = await usable(state, gap.rest);
  return dimensions.map((facts) => ({ facts, cost: costOf(state, gap.segment.total, facts), gain })).sort(byPrice);
}

/** Returns how many companies of a segment second passes still have to find. */
function wantedIn({ segment, outer }: Gap): number {
  const missing = segment.uncounted ? segment.total : missingOf(segment);
  if (!outer || outer.most === null) return missing;
  return Math.min(missing, Math.max(0, outer.most - newIn(segment, outer)));
}

/** Compares two passes by their estimated requests per company. The cheaper pass comes first. */
function byPrice(a: Offer, b: Offer): number {
  return a.cost / a.gain - b.cost / b.gain || (a.facts.splitField.key < b.facts.splitField.key ? -1 : 1);
}

/** Returns how many requests a pass may cost without the budget of the remainder. */
function worthOf({ price, size, thorough }: CrawlState, { segment, earned, outer }: Gap, { gain }: Offer): number {
  const pages = segment.total / size;
  if (!segment.uncounted) return Math.min(price * gain, price * Math.max(LEAST_TRIAL, TRIAL * pages) + earned);
  return outer && !thorough ? 0 : TRUST * Math.max(LEAST_TRUST, pages) + earned;
}

/** Runs the cheapest pass over a segment. */
async function runPass(state: CrawlState, gap: Gap, walk: Walk): Promise<void> {
  const { segment, reached, known, outer } = gap;
  const { facts, cost, gain } = gap.offers![0]!;
  const { key } = facts.splitField;
  const before = { cost: segment.cost, distinct: segment.distinct };
  const sent = (): number => segment.cost - before.cost;
  const found = (): number => segment.distinct - before.distinct;
  gap.rest = gap.rest.filter((dimension) => dimension.key !== key);
  gap.offers = null;
  segment.splitBy.push(key);
  segment.merged ??= 'passes';
  const price = Math.max(state.price, cost / gain);
  const isTooExpensive = (): boolean => !state.thorough && sent() > EARLY_END * cost + price * found();
  const enough = (): boolean => wantedIn(gap) === 0 || isTooExpensive();
  const knows = (id: string): boolean => known.has(id) || (outer?.knows(id) ?? false);
  await walk(state, { segment, facts, rest: gap.rest, hunt: { reached, knows, most: null }, enough });
  // If the search is thorough, later passes may also look for companies that this sweep missed. So the dimension counts
  // as searched only if the sweep missed none.
  const whole = segment.children.every(
    (child) => child.state === 'calibration' || !(key in child.filters) || missingOf(child) === 0,
  );
  if (whole || !state.thorough) gap.reached = [...reached, facts];
  passUp(segment);
  // The segments above now miss fewer companies.
  const higher = new Set(above(segment));
  for (const other of state.gaps) if (higher.has(other.segment)) other.offers = null;
  gap.earned += state.price * found() - sent();
}

/** Adds what second passes over a segment found to the segments above it. */
function passUp(segment: Segment): void {
  for (const whole of [segment, ...above(segment)]) {
    for (const id of segment.found) whole.found.add(id);
    whole.distinct = whole.found.size;
    if (whole.uncounted) whole.total = Math.max(whole.total, whole.distinct);
    if (whole.state === 'remainder' && missingOf(whole) === 0) whole.state = 'split';
  }
}

/** Reads all pages of a segment if they probably list missing companies, at most `price` requests for each. */
async function readRest(state: CrawlState, { segment, first, outer }: Gap): Promise<void> {
  if ((outer && !state.thorough) || missingOf(segment) * state.size * state.price < segment.total) return;
  segment.merged ??= 'passes';
  await readTop(state, segment, first);
  passUp(segment);
}

/** Writes into a segment why companies are missing, and which passes would be too expensive. */
function explain({ price: limit }: CrawlState, { segment, offers }: Gap, second: { requests: number; found: number }) {
  const further = (offers ?? []).map(({ facts, cost, gain }) => ({
    dimension: facts.splitField.key,
    requests: Math.ceil(cost),
    companies: Math.ceil(gain),
  }));
  const capped = segment.notes.find(({ code }) => code === 'totals_capped');
  if (segment.uncounted) segment.shortfall = capped ?? plainReason('no_value_uncounted');
  else if (offers === null) segment.shortfall = BEYOND_REASON;
  else if (further.length === 0) segment.shortfall = plainReason('no_value');
  else segment.shortfall = { code: 'too_expensive', values: { limit, ...second, further } };
}

/** Counts the companies of a segment that no earlier pass found. */
export function newIn(segment: Segment, hunt: Hunt): number {
  let found = 0;
  for (const id of segment.found) if (!hunt.knows(id)) found += 1;
  return found;
}

/**
 * Returns an upper limit for the number of companies of a segment that have no value in the dimensions of earlier
 * passes. It may be too high, because it considers at most MOST_COUNTED dimensions. Returns null if the API cannot count
 * them, if reading the whole segment costs no more requests than counting, or if the search is thorough.
 */
export async function countHunted(state: CrawlState, segment: Segment, { reached }: Hunt): Promise<number | null> {
  const reaching = reached
    .toSorted((a, b) => b.share - a.share)
    .map(({ splitField }): Filter => [splitField.key, splitField.everybody])
    .filter(([, everybody]) => everybody)
    .slice(0, MOST_COUNTED);
  const pages = Math.ceil(segment.total / state.size);
  if (state.thorough || pages <= 2 ** (Math.min(MOST_COUNTED, reached.length) + 1)) return null;
  return await countOutside(state, segment, [], reaching);
}

type Filter = readonly [key: string, value: unknown];

/**
 * Counts the companies of a segment that match the filters `under` and none of the filters `outside`. Subtracts the
 * totals of companies that match more filters.
 */
async function countOutside(
  state: CrawlState,
  segment: Segment,
  under: readonly Filter[],
  [first, ...rest]: readonly Filter[],
): Promise<number | null> {
  if (!first) return await totalOf(state, segment, under);
  const inside = await countOutside(state, segment, [...under, first], rest);
  if (inside === null) return null;
  const all = await countOutside(state, segment, under, rest);
  return all === null ? null : Math.max(0, all - inside);
}

/**
 * Returns the API's total for a segment with the further filters `under`. Returns null if the API refuses this search
 * or caps the total.
 */
async function totalOf(state: CrawlState, segment: Segment, under: readonly Filter[]): Promise<number | null> {
  let part = segment;
  for (const [key, value] of under) {
    part = state.tree.child(part, key, value, 'any');
    part.state ??= 'calibration';
  }
  if (part === segment) return segment.total < state.totalsCap ? segment.total : null;
  const asked = part.pages === 0;
  const answer = await askFirst(state, part, 'guess');
  if (isRefused(answer)) return null;
  if (asked) segment.cost += 1;
  for (const id of part.found) segment.found.add(id);
  return answer.total < state.totalsCap ? answer.total : null;
}
