import type { ApiRow } from '../../../schemas/explorer/api.js';
import { cell, count } from './format.js';

type Say = (found: RegExpExecArray, missing: string) => string;

/** Sentences for the reasons of the planner. Each begins where the reason begins, after the properties of the split. */
const SENTENCES: readonly (readonly [RegExp, Say])[] = [
  [
    /^a search shows at most ([\d,]+) companies, this one has ([\d,]+), and no dimension is left/,
    ([, most, total], missing) =>
      `A search with ${total} companies cannot be split further. A search shows at most ${most}, so ${missing} of them cannot be listed.`,
  ],
  [
    /^stopped: the search sent far more requests/,
    () => 'The search stopped early, because the answers of the API contradict each other.',
  ],
  [
    /^the market's total changed while it was read \(([\d,]+) at first, ([\d,]+) at the end\)/,
    ([, first, last]) => `The total of the market changed during the run, from ${first} to ${last}.`,
  ],
  [
    /^(?:the market's total changed while|companies were added, removed or moved while)/,
    (_, missing) =>
      `${missing} companies that the API counts were not listed. They were probably added, removed or moved during the run.`,
  ],
  [
    /^(?:its pages list|all pages of version 1 of the API together list) ([\d,]+) of ([\d,]+) companies/,
    ([, listed, total]) => `The API counts ${total} companies in this search, but its pages list only ${listed}.`,
  ],
  [
    /^its pages list ([\d,]+) companies, but its total is ([\d,]+)/,
    ([, listed, total]) => `The API counts ${total} companies in this search, but its pages list ${listed}.`,
  ],
  [
    /^the API counts ([\d,]+) companies but lists ([\d,]+)/,
    ([, total, listed]) => `The API counts ${total} companies, but lists ${listed}.`,
  ],
  [
    /^page 1 is empty, although the API counts ([\d,]+)/,
    ([, total]) => `The API counts ${total} companies, but shows none of them.`,
  ],
  [/^the API refused the market's filters/, () => 'The API refused the filters of the market.'],
  [/^the API refused /, () => 'The API refused a part of this search.'],
  [/^carried over from earlier nights/, () => 'An earlier night found these companies. This run did not search them.'],
  [
    /^these companies have no value by which a search can select them\. The search stopped, because further companies would cost more than ([\d.,]+) requests/,
    ([, price]) => `The search stopped, because further companies would cost more than ${price} requests each.`,
  ],
  [
    /^these companies have no value by which a search can select them/,
    (_, missing) => `${missing} companies have no value by which a search could select them.`,
  ],
  [
    /^companies without a value in a split dimension were not searched/,
    () => 'Companies without a value in a property of the split were not searched.',
  ],
  [
    /^the API caps its totals at ([\d,]+)/,
    ([, most]) => `The API counts at most ${most} companies in a search. So it is unknown how many are missing.`,
  ],
  [
    /^companies (listed without an id|with ids that the warehouse cannot store|listed with a repeated key)/,
    (_, missing) =>
      `The API lists ${missing} companies with ids that cannot be stored. Open rejects list each of them.`,
  ],
  [
    /^the searches counted ([\d,]+) companies, but the warehouse holds ([\d,]+)/,
    ([, counted, held]) => `The searches counted ${counted} companies, but only ${held} of them could be loaded.`,
  ],
  [/^the crawl has not ended/, () => 'The search has not ended.'],
  [/^the API stated no total/, () => 'The API did not say how many companies the market has.'],
];

/**
 * Says in one or two sentences why companies are missing. Says only what the data prove.
 * @param gap a row of `reasons`
 */
export function sayReason(gap: ApiRow): string {
  const missing = Number(gap['missing']) > 0 ? count(gap['missing']) : 'Some';
  if (isInseparable(gap)) {
    return `${count(gap['stuck_total'])} companies share every value by which this run narrowed its search, and no property is left. The search shows only ${count(gap['stuck_shown'])} of them, so ${missing} could not be listed.`;
  }
  const reason = cell(gap['reason']).replace(/^split by [a-z_]+(?:, (?:then )?[a-z_]+)*[;:] /, '');
  for (const [pattern, say] of SENTENCES) {
    const found = pattern.exec(reason);
    if (found !== null) return say(found, missing);
  }
  return missing === 'Some'
    ? 'This search is not proven to be complete, so companies may be missing.'
    : `The API counts ${missing} companies in this search that the run could not list.`;
}

/** Returns whether the companies of a gap have one value, or none, in each property that any search of the run used. */
function isInseparable(gap: ApiRow): boolean {
  const { stuck_filters: text, stuck_properties: used, stuck_fixed: fixed } = gap;
  if (typeof text !== 'string' || !Array.isArray(used) || !Array.isArray(fixed)) return false;
  let filters: Record<string, unknown>;
  try {
    filters = JSON.parse(text) as Record<string, unknown>;
  } catch {
    return false;
  }
  const split = cell(gap['stuck_split_by']).split(', ');
  return used.every(
    (name) =>
      fixed.includes(name) || split.includes(cell(name)) || (cell(name) in filters && isOneValue(filters[cell(name)])),
  );
}

function isOneValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 1;
  if (typeof value !== 'object' || value === null) return true;
  const { include, gte, lte, ...rest } = value as Record<string, unknown>;
  if (Object.keys(rest).length > 0) return false;
  return Array.isArray(include) ? include.length === 1 && gte === undefined && lte === undefined : gte === lte;
}

/** Returns the filters of the search that misses the companies of a gap: the narrowest one, if the data prove it. */
export function filtersOf(gap: ApiRow): string {
  return cell(gap['stuck_filters'] ?? gap['filters']);
}
