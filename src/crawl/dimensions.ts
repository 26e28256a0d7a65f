import type { Dimension } from '../planner/index.js';
import { readManifests, readPartRows } from '../landing/index.js';

// Which nomenclature list names the values of which prospecting filter (reference: v2, "Prospecting", and v1,
// "Nomenclature lookup lists"). `legal_form` is described as "form type ids"; that these are the ownership types is an
// assumption (docs/assumptions.md) which costs requests when wrong, never companies: coverage is proven by counting.
const LISTS: { filter: string; list: string }[] = [
  { filter: 'company_status', list: 'company_status' },
  { filter: 'legal_form', list: 'ownership_types' },
  { filter: 'activity_type', list: 'activity_type' },
];

/**
 * The dimensions a market can be split by: those with known values from the nomenclatures last landed, and ranges.
 * Order is the planner's business.
 */
export function readDimensions(dataDir: string, today: string): Dimension[] {
  const lists = readLatestNomenclatures(dataDir);
  const categorical = LISTS.flatMap(({ filter, list }): Dimension[] => {
    const entries = Array.isArray(lists[list]) ? (lists[list] as { id?: unknown }[]) : [];
    const values = entries.map((entry) => Number(entry.id)).filter((id) => Number.isInteger(id));
    return values.length > 0 ? [{ kind: 'categorical', key: filter, values }] : [];
  });
  return [
    ...categorical,
    { kind: 'range', key: 'company_incorporation', min: '1900-01-01', max: today, unit: 'date' },
    { kind: 'range', key: 'number_of_employees', min: 0, max: 100_000, unit: 'integer' },
    { kind: 'range', key: 'financial_turnover', min: 0, max: 1_000_000_000, unit: 'number' },
  ];
}

function readLatestNomenclatures(dataDir: string): Record<string, unknown> {
  const parts = readManifests(dataDir, { stream: 'nomenclatures' }).toSorted((a, b) =>
    (b.lastFetchedAt ?? '').localeCompare(a.lastFetchedAt ?? ''),
  );
  for (const part of parts) {
    const row = readPartRows(part).find((candidate) => candidate.entity_id === 'v1' && candidate.status === 200);
    if (row) return JSON.parse(row.body) as Record<string, unknown>;
  }
  return {};
}
