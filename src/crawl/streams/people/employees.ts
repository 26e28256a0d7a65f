import { EmployeesPage } from '../../../../schemas/v2/employee.js';
import { reshape } from '../../../../schemas/v2/empty-shapes.js';
import { isUsable, keysOf, readId, readItems } from '../../../base/company-id.js';
import { readJson } from '../../../base/json/json-nodes.js';
import { textOf, type NewRow } from '../../../landing/index.js';
import { searchPeople, type PeopleAnswer, type PeopleQuestion, type PeopleReach } from '../../search/plan/people.js';
import { pageWithoutPersonalData } from '../../../privacy/personal-data.js';
import { readPeopleDimensions } from './people-dimensions.js';
import { kindOf } from '../../judge/kinds.js';
import type { Fetcher, Fetching } from '../../records/fetcher.js';
import { askLargest } from '../../../api/page-sizes.js';
import { formatCount } from '../../../../schemas/format.js';

// At most this many gaps are named in the row that says which employees were not found.
const MOST_GAPS = 5;

/** Fetches the employees of a company with version 2's search. */
export const employees: Fetcher = {
  reads: ['nomenclatures'],
  withoutPersonalData: (body) => pageWithoutPersonalData(body, 'data'),
  async fetch(id, at) {
    const search = searchPeople(readPeopleDimensions(at.deps.config.dataDir, at.ctx));
    let step = search.next();
    while (!step.done) {
      const row = await ask(at, id, step.value);
      step = search.next(row && readPage(textOf(row), id));
    }
    return describeGap(id, step.value);
  },
};

/**
 * Requests one page of a search for the employees of a company.
 * @returns null when the API rejects the filters or the page; a rejected first page without filters throws
 */
async function ask(at: Fetching, id: string, { filters, page, label }: PeopleQuestion): Promise<NewRow | null> {
  const { seniority, department } = filters;
  const asked = {
    // Send the id as text if a JavaScript number cannot hold it.
    company_id: Number.isSafeInteger(Number(id)) ? Number(id) : id,
    ...(seniority === undefined ? {} : { seniority: [seniority] }),
    ...(department === undefined ? {} : { department: [department] }),
  };
  try {
    return await at.page(label, () =>
      askLargest(at.client.v2.employees, { filters: asked, page }, { signal: at.signal }),
    );
  } catch (error) {
    if (kindOf(error) === 'invalid' && !(page === 1 && Object.keys(filters).length === 0)) return null;
    throw error;
  }
}

/** Reads a landed page of the search. Personal data may have been removed from it. Ids keep all their digits. */
function readPage(body: string, company: string): PeopleAnswer {
  const { total_employees: total, total_pages: pages } = EmployeesPage.parse(reshape(EmployeesPage, readJson(body)));
  const items = readItems(body);
  const isForeign = items.map((item) => {
    const read = item.kind === 'object' ? readId(item.members.get('company_id')) : undefined;
    return read !== undefined && 'id' in read && read.id !== company;
  });
  const ids = keysOf(items).filter((key, i) => isUsable(key) && !isForeign[i]);
  return { total, pages, rows: items.length, ids, foreign: isForeign.filter(Boolean).length };
}

/** Returns a sentence about the employees that were not found; null if all were found. */
function describeGap(company: string, { reported, found, foreign, gaps }: PeopleReach): string | null {
  if (foreign) return `The search for employees of company ${company} lists people of other companies only.`;
  if (gaps.length === 0) return null;
  const parts = gaps
    .slice(-MOST_GAPS)
    .map((gap) => `${JSON.stringify(gap.filters)}: ${formatCount(gap.found)} of ${formatCount(gap.reported)}`);
  return `The API reports ${formatCount(reported)} employees of company ${company}. The run found ${formatCount(found)}. Found by filters: ${parts.join('; ')}.`;
}
