import { toIso } from './calendar.js';
import { KIND, type Versions } from './changes.js';
import { NACE_CLASSES, naceOf } from './classification.js';
import { cityNameOf, countOf, hasFax, hasPronet, hasWebsite, zipOf } from './contacts.js';
import type { Context } from './context.js';
import { MARKET_COUNTRIES } from './data/market-countries.js';
import { ACTIVITIES } from './data/nomenclatures.js';
import { emptyFigures, fiscalYearsOf, isConsolidated, readLatestFigures, type LatestFigures } from './finance.js';
import { keywordsOf, rankingOf, technologiesOf, visitsOf } from './insights.js';
import { TAG } from './tags.js';
import {
  activityTypesOf,
  companyTypeOf,
  employeesOf,
  foreignParentOf,
  foundedOn,
  industriesOf,
  legalFormOf,
  marketCountryOf,
  statusOf,
  tradingOf,
} from './traits.js';

/**
 * All filterable attributes of one company on one day, in readable form. Searches read these attributes from columns. A
 * profile is computed without these columns, so tests can check search results with profiles.
 */
export interface Profile {
  status: number;
  /** Number of employees; null when unknown. */
  employees: number | null;
  /** Date of incorporation, yyyy-mm-dd; null when unknown. */
  incorporation: string | null;
  legalForm: number;
  activityTypes: number[];
  companyType: number;
  /** ISO 3166 alpha-2. */
  country: string;
  zip: string | null;
  city: string;
  region: string | null;
  imports: boolean;
  exporter: boolean;
  /** Ids of the lookup list `activities`. */
  industries: number[];
  /** Class of NACE Rev. 2 with its dot: `62.01`. */
  nace: string;
  /** Class of ISIC Rev. 4. */
  isic: string;
  nationalCode: { scheme: string; code: string } | null;
  currency: string | null;
  foreignParent: string | null;
  consolidated: boolean | null;
  reachableBy: string[];
  website: { keywords: string[]; visits: number; ranking: number; technologies: number[] } | null;
  /** Figures of the latest fiscal year. Money is in US dollars. NaN means that there is no value. */
  figures: LatestFigures;
}

/** Returns the profile of a company on a unix day. `versions` holds the company's versions on that day. */
export function profileOf(ctx: Context, index: number, day: number, versions: Versions): Profile {
  const country = marketCountryOf(ctx, index);
  const [city, region] = cityNameOf(ctx, index, versions);
  const founded = foundedOn(ctx, index);
  const activityTypes = activityTypesOf(ctx, index);
  const trading = tradingOf(ctx, index, versions);
  const industries = industriesOf(ctx, index);
  const { code: nace, isic } = NACE_CLASSES[naceOf(ctx, index)]!;
  const parent = foreignParentOf(ctx, index);
  const files = fiscalYearsOf(ctx, index, day) !== undefined;
  const figures = emptyFigures();
  readLatestFigures(ctx, index, day, versions, figures);
  return {
    status: statusOf(ctx, index, versions),
    employees: employeesOf(ctx, index, versions),
    incorporation: founded === null ? null : toIso(founded),
    legalForm: legalFormOf(ctx, index),
    activityTypes: [1, 2, 3].filter((id) => (activityTypes & (1 << (id - 1))) !== 0),
    companyType: companyTypeOf(ctx, index),
    country: country.code,
    zip: zipOf(ctx, index, versions),
    city,
    region,
    imports: (trading & 1) !== 0,
    exporter: (trading & 2) !== 0,
    industries: industries.map((position) => ACTIVITIES[position]!.id),
    nace,
    isic,
    nationalCode:
      country.sicScheme === null ? null : { scheme: country.sicScheme, code: country.sicCode(nace.replace('.', '')) },
    currency: files ? country.currency : null,
    foreignParent: parent === undefined ? null : MARKET_COUNTRIES[parent]!.code,
    consolidated: files ? isConsolidated(ctx, index) : null,
    reachableBy: contactsOf(ctx, index, versions),
    website: hasWebsite(ctx, index, versions.get(KIND.website))
      ? {
          keywords: keywordsOf(industries),
          visits: visitsOf(ctx, index),
          ranking: rankingOf(ctx, index),
          technologies: technologiesOf(ctx, index),
        }
      : null,
    figures,
  };
}

function contactsOf(ctx: Context, index: number, versions: Versions): string[] {
  return [
    countOf(ctx, TAG.phone, index, versions.get(KIND.phone)) > 0 ? 'phone' : '',
    countOf(ctx, TAG.email, index, versions.get(KIND.email)) > 0 ? 'email' : '',
    hasFax(ctx, index, versions.get(KIND.fax)) ? 'fax' : '',
    hasWebsite(ctx, index, versions.get(KIND.website)) ? 'website' : '',
    hasPronet(ctx, index) ? 'pronet' : '',
  ].filter((kind) => kind !== '');
}
