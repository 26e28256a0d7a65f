import type { NomenclatureItem } from '../../schemas/connector/company-data.js';
import { COUNTRIES } from '../world/data/country-ids.js';
import { CURRENCIES } from '../world/data/currencies.js';
import { ISO_COUNTRIES } from '../world/data/iso-countries.js';
import { NACE_CLASSES } from '../world/data/nace.js';
import {
  ACTIVITIES,
  ACTIVITY_TYPE,
  COMPANY_STATUS,
  DEPARTMENTS,
  OWNERSHIP_TYPES,
  REGIONS,
  SENIORITY_LEVEL,
  SUBSIDIARY_STATUS,
} from '../world/data/nomenclatures.js';
import { TECHNOLOGIES } from '../world/data/technologies.js';

const regionOf = new Map(ISO_COUNTRIES.map(([code, , region]) => [code, region]));

const plain = (entries: readonly { id: number; name: string }[]): NomenclatureItem[] =>
  entries.map(({ id, name }) => ({ id, name, parent: null }));

const LISTS: Readonly<Record<string, () => NomenclatureItem[]>> = {
  company_status: () => plain(COMPANY_STATUS),
  activity_type: () => plain(ACTIVITY_TYPE),
  company_type: () => plain(SUBSIDIARY_STATUS),
  legal_form: () => plain(OWNERSHIP_TYPES),
  industry_focus: () => plain(ACTIVITIES),
  seniority: () => plain(SENIORITY_LEVEL),
  department: () =>
    DEPARTMENTS.map(({ id, name, parent_id }) => ({ id, name, parent: parent_id === null ? null : String(parent_id) })),
  insights_technologies: () => plain(TECHNOLOGIES),
  location_regions: () => plain(REGIONS),
  location_countries: () =>
    COUNTRIES.map(({ id, name, short_name }) => {
      const region = String(regionOf.get(short_name));
      return { id: `${region}_${id}`, name, parent: region };
    }),
  nace: () => NACE_CLASSES.map(([code, name]) => ({ id: code, name, parent: code.slice(0, 2) })),
  financial_currency: () => CURRENCIES.map(([code, name]) => ({ id: code, name, parent: null })),
};

/** Entries of a list (ids of places joined by underscores under their region), those under `parent` when one is given; null for a list that does not exist. */
export function nomenclatureOf(type: string, parent: string | null): NomenclatureItem[] | null {
  const list = Object.hasOwn(LISTS, type) ? LISTS[type]!() : null;
  return list && parent !== null ? list.filter((item) => item.parent === parent) : list;
}
