import type { OverviewRequest } from '../../../schemas/v2/overview.js';
import { COUNTRIES } from '../data/country-ids.js';
import { KIND } from '../changes.js';
import { cityNameOf, phonesOf } from '../contacts.js';
import { indexByIdentifiers } from '../lookups.js';
import { findPeople } from './people.js';
import { keepOnly, keepWhere, type Rows } from './rows.js';
import { isSpelledAs } from '../registration.js';
import { applyProspectingFilters } from './prospecting.js';
import type { V1Scope } from './v1-companies.js';
import type { Versions } from '../changes.js';

/** Data that the filters of `POST /v2/overview` need in addition to `V1Scope`. */
export interface OverviewScope extends V1Scope {
  versionsOf: (index: number) => Versions;
}

/** Keeps companies that match all given fields of `POST /v2/overview`. */
export function applyOverview(rows: Rows, asked: OverviewRequest, scope: OverviewScope): void {
  const { ctx, names, numbersOf, versionsOf } = scope;
  if (asked.country_code !== undefined) {
    const code = asked.country_code.toUpperCase();
    const id = COUNTRIES.find(({ short_name }) => short_name === code)?.id ?? 0;
    applyProspectingFilters(rows, { location_countries: { include: [id] } }, scope);
  }
  if (asked.company_status !== undefined)
    applyProspectingFilters(rows, { company_status: asked.company_status }, scope);
  if (asked.postal_codes !== undefined) applyProspectingFilters(rows, { location_zip: asked.postal_codes }, scope);
  const identified = indexByIdentifiers(ctx, {
    registrationNumber: asked.registration_number,
    vatNumber: asked.vat_number,
    ticker: asked.ticker,
    lei: asked.lei_number,
    addresses: [asked.website, asked.pronet].filter((address) => address !== undefined),
  });
  if (identified !== undefined) keepOnly(rows, identified === 'none' ? [] : [identified]);
  if (asked.registration_number !== undefined) {
    const wanted = asked.registration_number.trim().toUpperCase();
    keepWhere(rows, (i) => numbersOf(i).registration === wanted);
  }
  if (asked.vat_number !== undefined) {
    const wanted = asked.vat_number;
    keepWhere(rows, (i) => isSpelledAs(ctx, wanted, numbersOf(i).vat));
  }
  if (asked.name !== undefined) {
    const wanted = asked.name.trim().toLowerCase();
    const all = names();
    keepWhere(rows, (i) => all[i]!.includes(wanted));
  }
  if (asked.state !== undefined) {
    const wanted = asked.state.trim().toLowerCase();
    keepWhere(rows, (i) => cityNameOf(ctx, i, versionsOf(i))[1]?.toLowerCase() === wanted);
  }
  if (asked.phone_number !== undefined) {
    const wanted = asked.phone_number.replaceAll(/\D/g, '');
    keepWhere(rows, (i) =>
      phonesOf(ctx, i, versionsOf(i).get(KIND.phone)).some((phone) => phone.replaceAll(/\D/g, '') === wanted),
    );
  }
  if (asked.person !== undefined) {
    const fullName = asked.person;
    keepWhere(rows, (i) => findPeople(ctx, [i], { fullName }).length > 0);
  }
}
