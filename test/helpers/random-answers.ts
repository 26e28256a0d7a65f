import * as fc from 'fast-check';
import { marketNight, type Answer } from './warehouse.js';

/** Nights of one market. */
export const nights = [
  ...marketNight({ run: 'n1', date: '2026-11-20', ids: [1, 2] }),
  ...marketNight({ run: 'n2', date: '2026-11-21', ids: [2, 3] }),
  ...marketNight({ run: 'n2b', date: '2026-11-21', ids: [1, 2, 3], missing: 1 }),
  ...marketNight({ run: 'n3', date: '2026-11-22', ids: [3] }),
];

// Few entities and instants, so that answers collide, repeat, contradict and tie.
const at = fc
  .integer({ min: 0, max: 8 })
  .map((step) => new Date(Date.parse('2026-11-20T02:00:00Z') + step * 6 * 3_600_000).toISOString());
const company = fc.integer({ min: 1, max: 3 });

const companyAnswer = fc
  .record({ id: company, at, body: fc.constantFrom('a', 'b', 'b2', 'gone', 'html', 'bad') })
  .map(({ id, at: when, body }): Answer => {
    const bodies = {
      a: { id, name: 'A', status: 'Active', company_phone: ['1', '2'] },
      b: { id, name: 'B', status: 'Inactive', company_phone: ['1'], extra_field: 7 },
      b2: { company_phone: ['1'], status: 'Inactive', name: 'B', id: String(id), extra_field: 8 },
      gone: { detail: 'Not found' },
      html: '<html>',
      bad: { id, name: ['A'], founding_date: 'soon' },
    };
    return {
      stream: 'companies',
      entity: String(id),
      at: when,
      body: bodies[body],
      status: body === 'gone' ? 404 : body === 'html' ? 502 : 200,
    };
  });

const reportAnswer = fc
  .record({ id: company, at, body: fc.constantFrom('a', 'b', 'less', 'text', 'bad', 'year', 'one') })
  .map(({ id, at: when, body }): Answer => {
    const bodies = {
      a: { 2024: { Turnover: 10, Cash: 1, Currency: 'EUR' }, 2023: { Turnover: 5 } },
      b: { 2024: { Turnover: 11, Cash: 1, Currency: 'EUR' }, 2023: { Turnover: 5 } },
      less: { 2024: { Turnover: 10 } },
      text: { 2024: { Turnover: '10', Cash: 1, Currency: 'EUR' }, 2023: { Turnover: 5 } },
      bad: { 2024: { Turnover: 'ten', Cash: {}, Currency: 'DKK' }, 2023: 5 },
      year: { soon: {}, 2024: null },
      one: { 2023: { Turnover: 6 } },
    };
    const request = body === 'one' ? `GET /v2/financial/${id} {"year":2023}` : `GET /v2/financial/${id}`;
    return { stream: 'financials', entity: String(id), at: when, body: bodies[body], request };
  });

const v1Answer = fc
  .record({ id: company, at, body: fc.constantFrom('a', 'b', 'interim', 'bad', 'undated', 'none') })
  .map(({ id, at: when, body }): Answer => {
    const report = (date: number | string, value: unknown, progress = 0) => ({
      date,
      indicators: { Turnover: { value, progress }, Cash: { value: 1 } },
    });
    const reports = {
      a: [report(20_241_231, 10), report(20_231_231, 5)],
      b: [report(20_231_231, 5, 1), report(20_241_231, 11)],
      interim: [report(20_241_231, 10), report(20_240_331, 4)],
      bad: [report(20_241_231, 'ten'), { date: 20_231_231, indicators: 5 }],
      undated: [report('soon', 7), report(20_241_231, 12)],
      none: [],
    };
    return {
      stream: 'financials_v1',
      entity: String(id),
      at: when,
      body: { reports: reports[body], companyId: id, country: body === 'b' ? 'SE' : 'DK' },
    };
  });

const tenderAnswer = fc
  .record({ at, title: fc.constantFrom('T', 'U'), details: fc.boolean() })
  .map(({ at: when, title, details }): Answer =>
    details
      ? {
          stream: 'tender_details',
          entity: 't1',
          at: when,
          body: { slug: 't1', title, type: 'Tender', description: `<b>${title}</b>`, rank: title },
        }
      : {
          stream: 'tenders',
          at: when,
          body: { total_results: 1, data: [{ slug: 't1', title, deadline_date: '2026-12-01', [title]: when }] },
        },
  );

const otherAnswer = fc
  .record({ at, id: company, n: fc.integer({ min: 1, max: 2 }), kind: fc.nat(2) })
  .map(({ at: when, id, n, kind }): Answer => {
    if (kind === 0)
      return { stream: 'nomenclatures', entity: 'v1', at: when, body: { regions: [{ id: n, name: `R${n}` }] } };
    if (kind === 1)
      return {
        stream: 'watched_companies',
        run: `w${n}`,
        at: when,
        body: { data: [{ id, fields: ['b', 'a'], date: '2026-01-01', name: `N${n}` }] },
      };
    const event = {
      event_type: 'company.name',
      status: 'UPDATED',
      date_created: '2026-11-19T01:00:00Z',
      message: `<em>${n}</em>`,
      rank: when,
    };
    return { stream: 'watch_events', entity: String(id), at: when, body: { data: [event] } };
  });

/** One random answer, in a list. */
export const answer = fc
  .oneof(companyAnswer, companyAnswer, reportAnswer, reportAnswer, v1Answer, tenderAnswer, otherAnswer)
  .map((one) => [one]);
