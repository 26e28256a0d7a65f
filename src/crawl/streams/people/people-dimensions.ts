import type { PeopleDimension } from '../../search/plan/people.js';
import { readLatestNomenclatures } from '../../search/dimensions.js';
import { oncePerAttempt } from '../lists/once-per-attempt.js';

// Values from the reference (v1, "Nomenclature lookup lists"). Used if no lookup list has landed.
const SENIORITIES = [14, 15, 16, 17, 18, 19, 20, 21];
const DEPARTMENTS = [
  823, 824, 825, 826, 827, 828, 829, 830, 831, 832, 833, 834, 835, 836, 837, 838, 839, 840, 841, 842, 843, 844, 845,
  855, 863, 865, 866, 867, 868,
];

/**
 * Lists the filters that can split a search for people. Their values come from the landed lookup lists. Departments
 * without a parent come first, because a search for a department may include its children.
 */
export const readPeopleDimensions = oncePerAttempt((dataDir: string): PeopleDimension[] => {
  const lists = readLatestNomenclatures(dataDir);
  return [
    { key: 'seniority', values: idsOf(lists['seniority_level'], SENIORITIES) },
    { key: 'department', values: idsOf(lists['departments'], DEPARTMENTS) },
  ];
});

function idsOf(list: unknown, stated: readonly number[]): readonly number[] {
  const entries = Array.isArray(list) ? (list as ({ id?: unknown; parent_id?: unknown } | null)[]) : [];
  const isChild = (entry: (typeof entries)[number]): boolean => Boolean(entry?.parent_id);
  const sorted = [...entries.filter((entry) => !isChild(entry)), ...entries.filter(isChild)];
  const ids = new Set(sorted.map((entry) => Number(entry?.id)).filter((id) => Number.isSafeInteger(id) && id > 0));
  return ids.size > 0 ? [...ids] : stated;
}
