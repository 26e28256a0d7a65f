import { CURRENT_WATCH_FIELD, type LegacyWatchField } from '../../../schemas/v2/watch-fields.js';

/** Changes to make, so that the API watches exactly the companies that tidemark.yaml declares. */
export interface WatchPlan {
  start: string[];
  stop: string[];
  /** Companies that are watched, but with other fields than declared. */
  change: { id: string; add: string[]; remove: string[] }[];
  unchanged: number;
}

/**
 * Compares the companies that the API watches with the companies that tidemark.yaml declares. Treats the old and the
 * new name of a field as equal.
 * @param watched Watched fields by company id, as the API lists them; null if the API lists no fields
 * @param declared Ids of the companies to watch
 * @param fields Fields to watch; undefined keeps the fields that are watched now
 */
export function planWatches(
  watched: ReadonlyMap<string, readonly string[] | null>,
  declared: readonly string[],
  fields: readonly string[] | undefined,
): WatchPlan {
  const wanted = new Set(declared);
  const plan: WatchPlan = { start: [], stop: [], change: [], unchanged: 0 };
  for (const id of wanted) {
    const has = watched.get(id);
    if (has === undefined) {
      plan.start.push(id);
      continue;
    }
    const { add, remove } = fields === undefined || has === null ? { add: [], remove: [] } : compareFields(has, fields);
    if (add.length + remove.length > 0) plan.change.push({ id, add, remove });
    else plan.unchanged++;
  }
  plan.stop = [...watched.keys()].filter((id) => !wanted.has(id));
  return plan;
}

/** Number of requests that applying a plan sends. */
export function planRequests({ start, stop, change }: WatchPlan): number {
  const changes = change.reduce((sum, { add, remove }) => sum + Number(add.length > 0) + Number(remove.length > 0), 0);
  return start.length + stop.length + changes;
}

function compareFields(has: readonly string[], wants: readonly string[]): { add: string[]; remove: string[] } {
  const present = new Set(has.map(currentName));
  const wanted = new Set(wants.map(currentName));
  return {
    add: wants.filter((field) => !present.has(currentName(field))),
    remove: has.filter((field) => !wanted.has(currentName(field))),
  };
}

function currentName(field: string): string {
  return CURRENT_WATCH_FIELD[field as LegacyWatchField] ?? field;
}
