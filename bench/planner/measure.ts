import type { Waste } from './account.js';
import { makeCases, type Case, type Nights } from './cases.js';
import { NONE, type Columns } from './columns.js';
import { crawl } from './crawl.js';
import { Market } from './market.js';
import { optimumByDays } from './optimum.js';
import { enumerateByDays, RIVALS, type Enumeration } from './rivals.js';

/** One result line: cost and yield of one way to list a market. */
export interface Measured {
  name: string;
  requests: number;
  /** Requests ÷ (companies reached ÷ page size). 1 is the minimum. */
  eff: number;
  /** Share of the companies with a date of incorporation that were reached. */
  ofKnown: number;
  /** Share of all companies that were reached. */
  ofAll: number;
  leaves: number;
  /** Mean size of a leaf as a share of the page cap. */
  fill: number;
  overflows: number;
  depth: number;
  /** Wasted requests by cause, in total. Only for the planner. */
  waste?: Waste;
  /** Wasted requests by cause and dimension. Only for the planner. */
  byPath?: ReadonlyMap<string, Waste>;
  /** Companies that the plan's coverage reports as missing. Only for the planner. */
  missing?: number;
}

/** Measures the usual methods, which split only by days, and the optimum of any sweep by days. */
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

/** Measures the planner in every case. */
export async function measurePlanner(nights: Nights, size: number): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const some of makeCases(nights)) measured.push(await measureCase(nights, size, some));
  return measured;
}

/** Measures the planner in one case. */
export async function measureCase(
  { lastNight, tonight }: Nights,
  size: number,
  { name, quirks, input }: Case,
): Promise<Measured> {
  const { known, ...cold } = input;
  const api = { ...quirks, maxSize: size };
  const calibration = known ? (await crawl(new Market(lastNight, api), cold)).calibration : null;
  const { account, depth, missing } = await crawl(
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
