import type { NomenclatureItem } from '../../schemas/connector/company-data.js';
import { COUNTRIES } from '../world/data/country-ids.js';
import { NACE_CLASSES, nationalCodesOf } from '../world/classification.js';
import { CURRENCIES } from '../world/data/currencies.js';
import { ISO_COUNTRIES } from '../world/data/iso-countries.js';
import { MARKET_COUNTRIES } from '../world/data/market-countries.js';
import { ISIC_REV4 } from '../world/data/isic-rev4.js';
import { NACE_REV2 } from '../world/data/nace-rev2.js';
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
import { COMPANY_CONDITIONS, TRADING_ACTIVITIES } from '../world/filters/prospecting.js';
import { VISIT_BANDS } from '../world/insights.js';

const regionOf = new Map(ISO_COUNTRIES.map(([code, , region]) => [code, region]));

const plain = (entries: readonly { id: number; name: string }[]): NomenclatureItem[] =>
  entries.map(({ id, name }) => ({ id, name, parent: null }));

/**
 * Returns the entries of a classification. The parent of a code is the code on the next higher level: class, group,
 * division, section.
 */
function nested(rows: readonly (readonly [code: string, title: string, ...more: unknown[]])[]): NomenclatureItem[] {
  let section = '';
  return rows.map(([code, name]) => {
    if (code.length === 1) section = code;
    const above = code.length === 2 ? section : code.slice(0, -1).replace(/\.$/, '');
    return { id: code, name, parent: above === '' ? null : above };
  });
}

/** Returns entries whose id is their name. */
const named = (names: readonly string[]): NomenclatureItem[] => names.map((name) => ({ id: name, name, parent: null }));

/**
 * Lists of national industry codes, for the countries in the market. The key is the name of the filter (`sic_code_gb`,
 * …).
 */
const NATIONAL_LISTS = Object.fromEntries(
  MARKET_COUNTRIES.flatMap(({ sicScheme }, country) =>
    sicScheme === null
      ? []
      : [
          [
            sicScheme,
            () => nationalCodesOf(country).map((id, nace) => ({ id, name: NACE_CLASSES[nace]!.title, parent: null })),
          ],
        ],
  ),
) as Record<string, () => NomenclatureItem[]>;

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
  nace: () => nested(NACE_REV2),
  isic: () => nested(ISIC_REV4),
  ...NATIONAL_LISTS,
  trading_activity: () => named(TRADING_ACTIVITIES),
  insights_visits: () => named(VISIT_BANDS.map(([name]) => name)),
  advance_companies: () => named(Object.keys(COMPANY_CONDITIONS)),
  financial_currency: () => CURRENCIES.map(([code, name]) => ({ id: code, name, parent: null })),
};

/**
 * Returns the entries of a list, or only those under `parent`; null for an unknown list. The id of a country consists
 * of the id of its region, an underscore and the country's own id.
 */
export function nomenclatureOf(type: string, parent: string | null): NomenclatureItem[] | null {
  const list = Object.hasOwn(LISTS, type) ? LISTS[type]!() : null;
  return list && parent !== null ? list.filter((item) => item.parent === parent) : list;
}
