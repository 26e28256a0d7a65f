import { dayNumber, dayText } from '../../src/crawl/search/plan/days.js';
import type { PlanRequest } from '../../src/crawl/search/plan/index.js';

/** A request for page 1 of a window or of another segment, with its total. */
export interface Asked {
  request: PlanRequest;
  total: number;
}

/** Cause of an overflow; see `sortOverflows`. */
export type Overflow = 'first' | 'again' | 'peak' | 'near' | 'far';

/** Largest number of companies on one day of a range. */
export type LargestDay = (from: string | undefined, to: string | undefined) => number;

const NEAR = 1.25;

/**
 * Sorts overflows (windows above the cap that were narrowed) by cause:
 *
 * - `again`: a wider window overflowed from the same position.
 * - `first`: no leaf of the sweep ends just before, so the density was unknown.
 * - `peak`: one day holds more than half the cap.
 * - `near`: at most 1.25 × the cap. `far`: more.
 *
 * @param asked page 1 of every segment, in the order of the requests
 * @param narrowed segments that were requested again with a narrower window
 * @param cap companies that a search can show
 */
export function sortOverflows(
  asked: readonly Asked[],
  narrowed: ReadonlySet<string>,
  cap: number,
  largestDay: LargestDay,
): [segment: string, cause: Overflow][] {
  const ends = new Set(asked.filter(({ total }) => total <= cap).flatMap(({ request }) => endsOf(windowOf(request))));
  const tried = new Set<string>();
  return (
    asked
      // A second pass also leaves segments that were not narrowed, in which no company is new. Do not count them as
      // overflows.
      .filter(({ request, total }) => total > cap && narrowed.has(request.segment))
      .map(({ request, total }) => {
        const window = windowOf(request);
        const start = `${window.sweep} ${String(window.gte)}`;
        const before = tried.has(start);
        tried.add(start);
        const days = window.sweep.endsWith('company_incorporation');
        const largest = days ? largestDay(window.gte as string | undefined, window.lte as string | undefined) : 0;
        if (before) return [request.segment, 'again'];
        if (!ends.has(start)) return [request.segment, 'first'];
        if (largest > cap / 2) return [request.segment, 'peak'];
        return [request.segment, total <= NEAR * cap ? 'near' : 'far'];
      })
  );
}

interface AskedWindow {
  /** The segment that was split into windows, and the dimension of the windows: `root/company_status=1/turnover`. */
  sweep: string;
  gte: unknown;
  lte: unknown;
}

function windowOf({ segment, filters }: PlanRequest): AskedWindow {
  const sweep = segment.slice(0, segment.lastIndexOf('='));
  const key = sweep.slice(sweep.lastIndexOf('/') + 1);
  const range = (filters[key] ?? {}) as { gte?: unknown; lte?: unknown };
  return { sweep, gte: range.gte, lte: range.lte };
}

/** Possible starts of the window after this one. */
function endsOf({ sweep, lte }: AskedWindow): string[] {
  if (typeof lte === 'number') return [`${sweep} ${lte + 1}`, `${sweep} ${Math.round(lte * 100 + 1) / 100}`];
  const day = typeof lte === 'string' ? dayNumber(lte) : undefined;
  return day === undefined ? [] : [`${sweep} ${dayText(day + 1)}`];
}
