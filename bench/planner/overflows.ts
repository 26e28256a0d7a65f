import { dayNumber, dayText } from '../../src/planner/days.js';
import type { PlanRequest } from '../../src/planner/index.js';

/** Page 1 of a window, or of another segment. */
export interface Asked {
  request: PlanRequest;
  total: number;
}

export type Overflow = 'first' | 'again' | 'peak' | 'near' | 'far';

/** The most companies that one day of a span holds. */
export type LargestDay = (from: string | undefined, to: string | undefined) => number;

const NEAR = 1.25;

/**
 * Why windows were too large, for those that were narrowed: `first` where no leaf of the sweep ends just before, so that
 * nothing told how dense it is; `again` where a wider window overflowed from the same position.
 * @param asked page 1 of every segment, in the order of asking
 * @param narrowed segments that were asked once more, narrower
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
      // Second passes leave segments below the cap where nobody new is; these were no overflows.
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
  /** The segment that is swept, and the dimension. */
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

/** The starts that windows after this one can have. */
function endsOf({ sweep, lte }: AskedWindow): string[] {
  if (typeof lte === 'number') return [`${sweep} ${lte + 1}`, `${sweep} ${Math.round(lte * 100 + 1) / 100}`];
  const day = typeof lte === 'string' ? dayNumber(lte) : undefined;
  return day === undefined ? [] : [`${sweep} ${dayText(day + 1)}`];
}
