import type { Waste } from './account.js';
import { makeCases, type Case, type Nights } from './cases.js';
import { NONE, type Columns } from './columns.js';
import { crawl } from './crawl.js';
import { Market } from './market.js';
import { optimumByDays } from './optimum.js';
import { enumerateByDays, RIVALS, type Enumeration } from './rivals.js';

/** A line of the result: what one way to enumerate a market cost and brought. */
export interface Measured {
  name: string;
  requests: number;
  /** Requests ÷ (companies reached ÷ page size): 1 is the least there can be. */
  eff: number;
  /** Share reached of the companies that have a date of incorporation. */
  ofKnown: number;
  /** Share reached of all companies. */
  ofAll: number;
  leaves: number;
  /** Mean share of the cap that a leaf holds. */
  fill: number;
  overflows: number;
  depth: number;
  /** The planner only: requests by what they were wasted on, in all and by dimension. */
  waste?: Waste;
  byPath?: ReadonlyMap<string, Waste>;
  /** The planner only: companies its certificate calls missing. */
  missing?: number;
}

/** The usual ways, which sweep days only, and the least that any sweep of days can cost. */
export function measureRivals({ tonight }: Nights, size: number): Measured[] {
  const rivals = Object.entries(RIVALS).map(([name, rival]) =>
    enumerated(name, tonight, size, enumerateByDays(tonight, size, rival)),
  );
  return [...rivals, enumerated('optimum, by days', tonight, size, optimumByDays(tonight, size))];
}

function enumerated(name: string, tonight: Columns, size: number, result: Enumeration): Measured {
  const { requests, reached, leaves, overflows, depth } = result;
  const dated = tonight.incorporated.indexOf(NONE);
  return {
    name,
    requests,
    eff: (requests * size) / reached,
    ofKnown: reached / (dated < 0 ? tonight.companies : dated),
    ofAll: reached / tonight.companies,
    leaves,
    fill: reached / leaves / size / 10,
    overflows,
    depth,
  };
}

/** The planner, in every case. */
export function measurePlanner(nights: Nights, size: number): Measured[] {
  return makeCases(nights).map((some) => measureCase(nights, size, some));
}

/** The planner in one case. */
export function measureCase({ lastNight, tonight }: Nights, size: number, { name, quirks, input }: Case): Measured {
  const { known, ...cold } = input;
  const api = { ...quirks, maxSize: size };
  const calibration = known ? crawl(new Market(lastNight, api), cold).calibration : null;
  const { account, depth, missing } = crawl(
    new Market(tonight, api),
    known ? { ...cold, known: { ...known, calibration } } : cold,
  );
  const { requests, reached, leaves, filled, overflows, waste, byPath } = account;
  let dated = 0;
  let datedReached = 0;
  for (let row = 0; row < tonight.companies; row++) {
    if (tonight.incorporated[row] === NONE) continue;
    dated += 1;
    if (account.has(tonight.id[row]!)) datedReached += 1;
  }
  return {
    name,
    requests,
    eff: (requests * size) / reached,
    ofKnown: datedReached / dated,
    ofAll: reached / tonight.companies,
    leaves,
    fill: filled / leaves / size / 10,
    overflows,
    depth,
    waste,
    byPath,
    missing,
  };
}
