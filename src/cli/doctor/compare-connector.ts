import type { Id } from '../../../schemas/v2/scalars.js';
import { NotFoundError, type ApiClient, type ApiResponse, type Assumed } from '../../api/index.js';
import { errorMessage } from '../../base/errors.js';
import { ok, skip, warn, type Finding } from './finding.js';

/** Fields of a company record that the comparison reads. The types are not certain. */
type CompanyRecord = Record<string, unknown>;

/**
 * Compares one data route of the connector with the API. Returns the difference; null if there is none; undefined if
 * the company lacks the value that the request needs.
 */
type Comparison = (client: ApiClient, known: Known) => Promise<string | null | undefined>;

/** The company with which both servers are compared: its record from the API. */
interface Known {
  company: CompanyRecord;
  id: string;
}

// Number of companies to read, to find one with a value for every route.
const MOST_CANDIDATES = 5;
const TODO = 'Runs do not use the connector. Tell its operator if other programs need it.';

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  prospecting: async (client) => {
    const [theirs, ours] = [await client.connector.prospecting(), await client.v2.prospecting({})];
    const { fits, value } = theirs.data;
    if (!fits) return 'the answer of the connector is not a page of search results';
    return differ('total_companies', value.total_companies, ours.data.total_companies);
  },
  'company-details': async (client, { company, id }) => sameCompany(await client.connector.companyDetails(id), company),
  'company-by-url': async (client, { company }) => {
    const website = textOf(company, 'company_website');
    return website === null ? undefined : sameCompany(await client.connector.companyByUrl(website), company);
  },
  'company-by-pronet': async (client, { company }) => {
    const pronet = textOf(company, 'pronet');
    return pronet === null ? undefined : sameCompany(await client.connector.companyByPronet(pronet), company);
  },
  autocomplete: async (client, { company }) => {
    const registration_number = textOf(company, 'registration_number');
    if (registration_number === null) return undefined;
    const query = { registration_number, country_code: textOf(company, 'country_code') };
    return sameCompany(await client.connector.autocomplete(query), company);
  },
  'company-financials': async (client, { id }) => {
    const { data } = await client.v2.financial(id);
    const year = Object.keys(data).toSorted().at(-1);
    if (year === undefined) return undefined;
    const theirs = await client.connector.companyFinancials(id, Number(year));
    if (!theirs.data.fits) return 'the answer of the connector is not a financial report';
    const turnover = (report: object): unknown =>
      (report as Record<string, Record<string, unknown> | undefined>)[year]?.['Turnover'];
    return differ(`Turnover of ${year}`, turnover(theirs.data.value), turnover(data));
  },
  'company-ownership': async (client, { id }) => {
    const [theirs, ours] = [await client.connector.companyOwnership(id), await client.v2.kyb.ubo(id)];
    return theirs.body === ours.body ? null : 'the answers of the connector and the API differ';
  },
  nomenclature: async (client) => {
    const { data } = await client.connector.nomenclature('company_status');
    if (!data.fits) return 'the answer of the connector is not a lookup list';
    const { company_status: ours = [] } = (await client.v1.nomenclatures()).data as { company_status?: unknown[] };
    return differ('number of statuses', data.value.items.length, ours.length);
  },
};

/**
 * Calls every data route of the connector for one company and compares the answers with the API. Needs about 20 calls.
 * Runs do not use the connector, so a difference is only a warning.
 */
export async function compareConnector(client: ApiClient): Promise<Finding[]> {
  let known: Known | null;
  try {
    known = await findCompany(client);
  } catch (error) {
    return [skip('connector data', `found no company to compare: ${errorMessage(error)}`)];
  }
  if (known === null)
    return [skip('connector data', 'found no company to compare: the search of the API returned none')];
  const findings: Finding[] = [];
  for (const [name, compare] of Object.entries(COMPARISONS)) {
    const check = `connector ${name}`;
    try {
      const difference = await compare(client, known);
      if (difference === undefined)
        findings.push(skip(check, `not checked, because company ${known.id} has no value for this request`));
      else if (difference === null) findings.push(ok(check, `connector and API agree about company ${known.id}`));
      else findings.push(warn(check, `company ${known.id}: ${difference}`, TODO));
    } catch (error) {
      findings.push(warn(check, errorMessage(error), TODO));
    }
  }
  return findings;
}

/**
 * Reads the first companies of a search. Returns the one with the most values that the routes need; null if the search
 * finds no company.
 */
async function findCompany(client: ApiClient): Promise<Known | null> {
  const { data } = await client.v2.prospecting({ per_page: 10 });
  const ids = data.data.flatMap((item) => (item === null ? [] : [item.id])).slice(0, MOST_CANDIDATES);
  let best: Known | null = null;
  for (const id of ids) {
    const company = await readCompany(client, id);
    if (company !== null && (best === null || valuesOf(company) > valuesOf(best.company)))
      best = { company, id: String(id) };
  }
  return best;
}

/** A company's record; null when the company is gone. */
async function readCompany(client: ApiClient, id: Id): Promise<CompanyRecord | null> {
  try {
    return (await client.v2.company(id)).data;
  } catch (error) {
    if (error instanceof NotFoundError) return null;
    throw error;
  }
}

function valuesOf(company: CompanyRecord): number {
  return ['company_website', 'pronet', 'registration_number'].filter((field) => textOf(company, field) !== null).length;
}

function sameCompany({ data }: ApiResponse<Assumed<CompanyRecord>>, company: CompanyRecord): string | null {
  if (!data.fits) return 'the answer of the connector is not a company record';
  return differ('id', data.value['id'], company['id']) ?? differ('name', data.value['name'], company['name']);
}

/** Describes how two values differ; null when they are equal. The id 7 equals the text "7". */
function differ(what: string, theirs: unknown, ours: unknown): string | null {
  const [there, here] = [theirs, ours].map((value) => JSON.stringify(value ?? null).replaceAll('"', ''));
  return there === here ? null : `${what} is ${there} in the connector, but ${here} in the API`;
}

function textOf(company: CompanyRecord, field: string): string | null {
  const value = company[field];
  return typeof value === 'string' && value.trim() !== '' ? value : null;
}
