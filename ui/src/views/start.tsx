import type { JSX } from 'preact';
import { CompanySearch } from '../components/company-search.js';
import { Link } from '../lib/router.js';

/** The start page: search. */
export function StartView(): JSX.Element {
  return (
    <div class="start">
      <h1>Which company?</h1>
      <p class="about">
        Type the beginning of a name, brand, register number, VAT number or id. Press / on any page to search.
      </p>
      <CompanySearch />
      <p>
        <Link href="/companies">All companies, with filters</Link>
      </p>
    </div>
  );
}
