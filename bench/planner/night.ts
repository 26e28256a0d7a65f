import { dayText } from '../../src/crawl/search/plan/days.js';
import type { Distribution } from '../../src/crawl/search/plan/index.js';
import { emptyColumns, NONE, pickRows, sortColumns, type Columns } from './columns.js';
import { generator } from './random.js';
import { daySampler, LAST_DAY, valueSampler } from './register.js';

const CHANGED = 0.01;
const NEW = 0.0005;
const GONE = 0.0005;
// Share of the changed companies whose date is corrected, added or removed. The other companies change other values.
const REDATED = 0.02;
// Share of the new companies registered in the last week. The other new companies are older and late-arriving.
const RECENT = 0.7;

/** Returns the market one night later: 1 % changed, 0.05 % new, 0.05 % gone. */
export function nextNight(columns: Columns, seed: number, countries?: number): Columns {
  const random = generator(seed);
  const drawDay = daySampler(random);
  const drawValues = valueSampler(random, columns.companies, countries);
  const kept = Uint32Array.from({ length: columns.companies }, (_, row) => row).filter(() => random() >= GONE);
  const fresh = Math.round(columns.companies * NEW);
  const next = emptyColumns(kept.length + fresh);
  const old = pickRows(columns, kept);
  for (const name of Object.keys(next) as (keyof Columns)[]) {
    if (name !== 'companies') (next[name] as Float64Array).set(old[name]);
  }
  for (let row = 0; row < kept.length; row++) {
    if (random() >= CHANGED) continue;
    if (random() < REDATED) next.incorporated[row] = random() < 0.3 ? NONE : drawDay();
    drawValues(next, row, next.incorporated[row] !== NONE);
  }
  let id = columns.id.reduce((most, some) => Math.max(most, some), 0);
  for (let row = kept.length; row < next.companies; row++) {
    next.id[row] = id += 7;
    next.incorporated[row] = random() < RECENT ? LAST_DAY - Math.floor(random() * 7) : drawDay();
    drawValues(next, row, true);
  }
  return sortColumns(next);
}

/** Exact distribution of a market over each range dimension, as the warehouse knows it the morning after. */
export function distributionsOf(columns: Columns): Record<string, Distribution> {
  return {
    company_incorporation: distributionOf(columns.incorporated, dayText),
    number_of_employees: distributionOf(columns.employees, (value) => value),
    financial_turnover: distributionOf(columns.turnover, (value) => value),
  };
}

function distributionOf(column: Int32Array | Float64Array, say: (value: number) => number | string): Distribution {
  const sorted = column.toSorted();
  const values: [number | string, number][] = [];
  let start = 0;
  while (start < sorted.length && sorted[start] !== NONE) {
    let end = start + 1;
    while (end < sorted.length && sorted[end] === sorted[start]) end += 1;
    values.push([say(sorted[start]!), end - start]);
    start = end;
  }
  return { values, without: sorted.length - start };
}
