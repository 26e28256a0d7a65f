import { Nomenclatures } from '../../../schemas/v1/nomenclature.js';
import { reshape } from '../../../schemas/v2/empty-shapes.js';
import type { Dimension } from './plan/index.js';
import { readJson } from '../../base/json/json-nodes.js';
import { readManifests, readPartRows } from '../../landing/index.js';

// For each prospecting filter, the lookup list that holds its values (reference v2, "Prospecting"; v1, "Nomenclature
// lookup lists"). The reference describes `legal_form` as "form type ids". Tidemark assumes that these are the
// ownership types (docs/assumptions.md). If this is wrong, requests are wasted, but no company is lost, because the
// search compares its counts with the API's totals.
const LISTS: Record<string, { list: string; overlapping: boolean; value: 'id' | 'name'; sentAs?: string }> = {
  company_status: { list: 'company_status', overlapping: false, value: 'id' },
  legal_form: { list: 'ownership_types', overlapping: false, value: 'id' },
  activity_type: { list: 'activity_type', overlapping: true, value: 'id' },
  // The reference says "object", but does not name the object's keys. If the API refuses `include`, the plan does not
  // use this dimension.
  location_countries: { list: 'countries', overlapping: false, value: 'id', sentAs: 'include' },
  // Send names of activities, not their ids, because the reference says "array of string".
  industry_focus: { list: 'activities', overlapping: true, value: 'name' },
};

// Divisions of NACE revision 2. The reference does not list the values of `nace`. If the API uses other codes, a search
// for these divisions finds no company, and the plan does not use the dimension.
const NACE_DIVISIONS = [
  '01 02 03 05 06 07 08 09 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 35 36 37 38 39 41 42 43',
  '45 46 47 49 50 51 52 53 55 56 58 59 60 61 62 63 64 65 66 68 69 70 71 72 73 74 75 77 78 79 80 81 82 84 85 86 87 88',
  '90 91 92 93 94 95 96 97 98 99',
].flatMap((line) => line.split(' '));

/**
 * Lists the dimensions that can split a market, in order of preference:
 * 1. lists in which every company has exactly one value
 * 2. values that never change and that few companies share
 * 3. values that can split the companies incorporated on one day
 * 4. values that many companies do not have
 */
export function readDimensions(dataDir: string): Dimension[] {
  const lists = readLatestNomenclatures(dataDir);
  const listed = (key: string): Dimension[] => {
    const { list = '', overlapping = false, value = 'id', sentAs } = LISTS[key] ?? {};
    const entries = Array.isArray(lists[list]) ? (lists[list] as { id?: unknown; name?: unknown }[]) : [];
    const values = entries.map((entry) => entry[value]).filter((v) => v !== undefined && v !== null && v !== '');
    return values.length > 0
      ? [{ kind: 'categorical', key, values, overlapping, ...(sentAs ? { list: sentAs } : {}) }]
      : [];
  };
  return [
    ...listed('company_status'),
    // It is a guess that `null` selects the companies without a date. The plan uses it only if the totals add up.
    { kind: 'range', key: 'company_incorporation', type: 'date', nullValue: null },
    ...listed('legal_form'),
    ...listed('location_countries'),
    { kind: 'categorical', key: 'nace', values: NACE_DIVISIONS, overlapping: true },
    ...listed('activity_type'),
    ...listed('industry_focus'),
    { kind: 'range', key: 'number_of_employees', type: 'integer', min: 0, max: 10_000 },
    { kind: 'range', key: 'financial_turnover', type: 'decimal', min: 0, max: 1_000_000_000 },
  ];
}

/** Returns the latest landed lookup lists of version 1, by name. Returns an empty object if none has landed. */
export function readLatestNomenclatures(dataDir: string): Record<string, unknown> {
  const parts = readManifests(dataDir, { stream: 'nomenclatures' }).toSorted((a, b) =>
    (b.lastFetchedAt ?? '').localeCompare(a.lastFetchedAt ?? ''),
  );
  for (const part of parts) {
    const row = readPartRows(part).find(
      (candidate) => candidate.entity_id === 'v1' && candidate.status >= 200 && candidate.status < 300,
    );
    if (row) return Object(reshape(Nomenclatures, readJson(row.body))) as Record<string, unknown>;
  }
  return {};
}
