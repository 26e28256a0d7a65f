import type { Columns } from '../columns.js';
import { NO_ZIP } from '../columns.js';
import { zipText } from '../contacts.js';
import { MARKET_COUNTRY_IDS, MARKET_REGION_IDS } from '../data/country-ids.js';
import { MARKET_COUNTRIES } from '../data/market-countries.js';
import { FilterError } from './filter-error.js';
import { flags, keepCodes, keepCodesByCountry, type Rows } from './rows.js';

/*
 * Filters for places. The reference does not show the content of `location_regions` and `location_countries`. The
 * sandbox accepts `{include: [ids], exclude: [ids]}` and `{<id>: true | false}`. An id is the id of a lookup list, or
 * several ids joined by underscores, with the region first (`2_1159`).
 */

interface Selection {
  include: number[];
  exclude: number[];
}

/** Keeps companies in the given regions or countries. `field` tells which of the two. */
export function keepPlaces(
  rows: Rows,
  columns: Columns,
  field: 'location_regions' | 'location_countries',
  value: Record<string, unknown>,
): void {
  const { include, exclude } = readSelection(field, value);
  const ids = field === 'location_regions' ? MARKET_REGION_IDS : MARKET_COUNTRY_IDS;
  const positions = MARKET_COUNTRIES.map((_, position) => position);
  const wanted = positions.filter((position) => {
    const id = ids[position]!;
    return (include.length === 0 || include.includes(id)) && !exclude.includes(id);
  });
  keepCodes(rows, columns.country, flags(wanted));
}

function readSelection(field: string, value: Record<string, unknown>): Selection {
  const selection: Selection = { include: [], exclude: [] };
  for (const [key, item] of Object.entries(value)) {
    if (key === 'include' || key === 'exclude') {
      if (!Array.isArray(item)) throw new FilterError(field, `"${key}" must be a list of ids.`);
      selection[key].push(...item.map((id) => readId(field, id)));
    } else if (typeof item === 'boolean') {
      selection[item ? 'include' : 'exclude'].push(readId(field, key));
    } else {
      throw new FilterError(field, `"${key}" is not a valid value: use {"include": [ids], "exclude": [ids]}.`);
    }
  }
  return selection;
}

/** Parses the id of a place. If underscores join several ids, the last one is the place. */
function readId(field: string, value: unknown): number {
  const last = String(value).split('_').at(-1)!;
  if (!/^-?\d+$/.test(last)) throw new FilterError(field, `"${String(value)}" is not an id from the nomenclatures.`);
  return Number(last);
}

let zipsByText: Map<string, number[]> | undefined;

/**
 * Returns a map from normalized postcodes to places. A place is the number country position × 65536 + rank of the
 * postcode.
 */
function zipIndex(): Map<string, number[]> {
  if (zipsByText) return zipsByText;
  zipsByText = new Map();
  for (const [position, country] of MARKET_COUNTRIES.entries()) {
    for (let rank = 0; rank < country.zips; rank++) {
      const text = normalizeZip(zipText(country, rank));
      zipsByText.set(text, [...(zipsByText.get(text) ?? []), position * 65_536 + rank]);
    }
  }
  return zipsByText;
}

function normalizeZip(text: string): string {
  return text.toLowerCase().replaceAll(/[\s-]/g, '');
}

/** Keeps companies with one of the postcodes. Spaces, hyphens and case make no difference. */
export function keepZips(rows: Rows, columns: Columns, texts: readonly string[]): void {
  const tables: (Uint8Array | undefined)[] = [];
  for (const place of texts.flatMap((text) => zipIndex().get(normalizeZip(text)) ?? [])) {
    (tables[Math.floor(place / 65_536)] ??= new Uint8Array(NO_ZIP + 1))[place % 65_536] = 1;
  }
  keepCodesByCountry(rows, columns.country, columns.zip, tables);
}

/** Keeps companies in one of the named cities or states (regions of a country). Case makes no difference. */
export function keepCities(rows: Rows, columns: Columns, texts: readonly string[]): void {
  const wanted = new Set(texts.map((text) => text.trim().toLowerCase()));
  const tables = MARKET_COUNTRIES.map(({ cities }) => {
    const hits = cities.map((names) => names.some((name) => name !== null && wanted.has(name.toLowerCase())));
    return hits.includes(true) ? Uint8Array.from(hits, Number) : undefined;
  });
  keepCodesByCountry(rows, columns.country, columns.city, tables);
}
