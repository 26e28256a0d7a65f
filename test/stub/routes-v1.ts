import { pageOf, v1Error } from './answers.js';
import { FORM_NAMES, STATUS_NAMES } from './companies.js';
import { writeReportV1 } from './financials.js';
import { peopleOf, writeExecutive } from './people.js';
import { canonical } from './routes-v2.js';
import { writeRecordV1 } from './sources.js';
import type { Answer, Asked, StubState } from './state.js';
import { writeSummary, writeTender } from './tenders.js';

/** The version 1 routes that a crawl uses. */
export function answerV1(state: StubState, { path, query, body }: Asked): Answer {
  switch (path.slice('/v1/finder'.length)) {
    case '/nomenclatures':
      return { status: 200, body: nomenclatures() };
    case '/tenders/nomenclatures':
      return { status: 200, body: { types: [], statuses: [{ name: 'Closed', id: 2 }], industries: [], countries: [] } };
    case '/tenders/donors':
      return { status: 200, body: { donors: [{ donor: 'European Fund', id: '12' }], pages: '1' } };
    case '/company/details': {
      const id = query.get('id') ?? '';
      const company = state.byId.get(canonical(id));
      if (company === undefined || company.gone) return v1Error(state, 'IdNotFound', 404, { id });
      return { status: 200, body: writeRecordV1(company, state) };
    }
    case '/company/financial': {
      const id = query.get('id') ?? '';
      const company = state.byId.get(canonical(id));
      if (company === undefined || company.gone) return v1Error(state, 'IdNotFound', 404, { id });
      return { status: 202, body: writeReportV1(company) };
    }
    case '/company/executives': {
      const id = query.get('id') ?? '';
      const company = state.byId.get(canonical(id));
      if (company === undefined || company.gone) return v1Error(state, 'IdNotFound', 404, { id });
      const people = peopleOf(company);
      const asked = { page: query.get('page'), per_page: query.get('per_page') };
      const page = pageOf(people, asked, state.options.page);
      if (page === null) return v1Error(state, 'InvalidRequest', 406, { param: 'per_page' });
      const list = page.rows.map((person) => writeExecutive(person, company, state.turn));
      return { status: 200, body: { pages: String(Math.ceil(people.length / page.size)), list } };
    }
    case '/tenders': {
      const page = pageOf(state.tenders, body, state.options.page);
      if (page === null) return v1Error(state, 'InvalidRequest', 406, { param: 'per_page' });
      return { status: 200, body: { data: page.rows.map(writeSummary), total_results: String(state.tenders.length) } };
    }
    case '/tenders/details': {
      const slug = query.get('slug') ?? '';
      const tender = state.tenders.find((one) => one.slug === slug);
      if (tender === undefined) return v1Error(state, 'IdNotFound', 404, { slug });
      return { status: 200, body: writeTender(tender) };
    }
    default:
      return v1Error(state, 'ProductPermissionDenied', 403, {});
  }
}

function nomenclatures(): Record<string, unknown> {
  const named = (names: Record<string, string>) =>
    Object.entries(names).map(([id, name]) => ({ name, id: Number(id) }));
  return {
    ownership_types: named(FORM_NAMES),
    company_status: named(STATUS_NAMES),
    activity_type: named({ 1: 'Producer', 2: 'Distributor', 3: 'Service Provider' }),
    activities: named({ 100: 'Agriculture', 101: 'Food' }),
    countries: [{ id: 57, short_name: 'DK', name: 'Denmark' }],
  };
}
