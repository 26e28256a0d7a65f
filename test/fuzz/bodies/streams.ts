import type { LandingStream } from '../../../schemas/streams/landing-streams.js';
import type { ApiClient, ApiResponse } from '../../../src/api/index.js';

/** A stream under test: its valid answers, its request and its entity. */
export interface FuzzedStream {
  stream: LandingStream;
  /** A valid body for case `n`. */
  body(n: number): unknown;
  /** Entity under which the answer lands; null for a page. */
  entity(n: number): string | null;
  ask(client: ApiClient, n: number): Promise<ApiResponse<unknown>>;
  /** The case number in a request; NaN for other streams. Not used for streams that are requested one at a time. */
  numberIn?(url: URL, body: string): number;
}

/** First company id of the cases. */
export const COMPANY = 1_000_000;
/** Ids on search pages, three per page. */
export const SIGHTED = 100_000_000;

const companyId = (n: number): string => String(COMPANY + n);
const inPath = (pattern: RegExp) => (url: URL) => Number(pattern.exec(url.pathname)?.[1] ?? Number.NaN) - COMPANY;
const inFilters = (path: string) => (url: URL, body: string) =>
  url.pathname === path ? Number(/"case":(\d+)/.exec(body)?.[1] ?? Number.NaN) : Number.NaN;
const list = (...names: string[]) => names.map((name, i) => ({ id: i + 1, name }));

export const STREAMS: FuzzedStream[] = [
  {
    stream: 'companies',
    body: (n) => ({
      id: COMPANY + n,
      name: `Fjordlys ${n} A/S`,
      registration_number: '10203040',
      country_code: 'DK',
      company_phone: ['+45 00 00 00 00'],
      company_email: ['post@fjordlys.example'],
      company_fax: null,
      company_website: 'fjordlys.example',
      company_legal_form: 'Public limited',
      status: 'Active',
      brands: 'Fjordlys, Nordlys',
      address_street: 'Havnegade 1',
      address_location: 'Havnegade 1, 5000 Odense',
      address_city: 'Odense',
      country_region: null,
      zip_code: '5000',
      country_name: 'Denmark',
      size: '51-100',
      vat_number: null,
      founding_date: '1987-04-01',
      industry: [{ id: 138, type: 'industry_focus', value: 'Information Technology' }],
      sic: [{ id: 30_110, type: 'sic_code_dk', value: 'Building of ships' }],
      microblog: null,
      pronet: 'https://pronet.example/f',
      socialnet: null,
    }),
    entity: companyId,
    ask: (client, n) => client.v2.company(companyId(n)),
    numberIn: inPath(/^\/v2\/companies\/(\d+)$/),
  },
  {
    stream: 'financials',
    body: (n) => ({
      2023: {
        'Reported-Date': '2023-12-31',
        Currency: 'DKK',
        'Employee-Numbers': 73,
        Turnover: n + 0.5,
        EBITDA: -12.25,
        'Gross-Profit': null,
      },
      2022: { Turnover: '1234567', Currency: 'DKK' },
      2021: {},
    }),
    entity: companyId,
    ask: (client, n) => client.v2.financial(companyId(n)),
    numberIn: inPath(/^\/v2\/financial\/(\d+)$/),
  },
  {
    stream: 'financials_v1',
    body: (n) => ({
      reports: [
        {
          date: 20231231,
          indicators: {
            Turnover: { value: n + 0.5, processedTime: 1704067200, progress: 0.1 },
            EBITDA: { value: '7.25', processedTime: 1704067200, progress: -3 },
            Cash: { value: null, processedTime: 1704067200, progress: 0 },
          },
          modifyDate: 1704067200,
          sourceProcessedDate: 20240401,
        },
        { date: 20221231, indicators: { Turnover: { value: 3 } }, modifyDate: null },
        { date: 20220331, indicators: {} },
      ],
      country: 'DK',
      companyId: companyId(n),
    }),
    entity: companyId,
    ask: (client, n) => client.v1.financial(companyId(n)),
    numberIn: (url) =>
      url.pathname === '/v1/finder/company/financial' ? Number(url.searchParams.get('id')) - COMPANY : Number.NaN,
  },
  {
    stream: 'prospecting',
    body: (n) => ({
      total_companies: 3,
      total_pages: 1,
      data: [0, 1, 2].map((i) => ({ id: SIGHTED + 3 * n + i, name: `Sighted ${n}.${i}` })),
    }),
    entity: () => null,
    ask: (client, n) => client.v2.prospecting({ page: 1, filters: { case: n } }),
    numberIn: inFilters('/v2/prospecting'),
  },
  {
    stream: 'tenders',
    body: (n) => ({
      total_results: 2,
      data: [0, 1].map((i) => ({
        slug: `t-${n}-${i}`,
        title: `Lights ${n}`,
        status: 'Accepting bids',
        project_type: 'Tender',
        countries: ['Denmark'],
        announced_date: '2026-10-01',
        deadline_date: '2026-12-01',
      })),
    }),
    entity: () => null,
    ask: (client, n) => client.v1.tenders({ page: 1, filters: { case: n } }),
    numberIn: inFilters('/v1/finder/tenders'),
  },
  {
    stream: 'tender_details',
    body: (n) => ({
      slug: `d-${n}`,
      title: `Harbour ${n}`,
      status: 'Accepting bids',
      type: 'Tender',
      description: '<p>Lights for a <b>harbour</b></p>',
      announced_date: '2026-10-01T00:00:00',
      deadline_date: '2026-12-01T12:00:00',
      countries: ['Denmark'],
      industries: ['Energy'],
      attachments: ['https://files.example/a.pdf'],
      donors: [{ name: 'Fund' }],
      logo: null,
      contacts: {
        mobile: [{ type: 'mobile', name: '+45 00', id: 1 }],
        name: [{ type: 'name', name: 'Procurement', id: 2 }],
        email: [],
      },
    }),
    entity: (n) => `d-${n}`,
    ask: (client, n) => client.v1.tenderDetails(`d-${n}`),
    numberIn: (url) => Number(/^d-(\d+)$/.exec(url.searchParams.get('slug') ?? '')?.[1] ?? Number.NaN),
  },
  {
    stream: 'watched_companies',
    body: (n) => ({
      data: [
        {
          id: companyId(n),
          name: `W ${n}`,
          country_code: 'DK',
          registration_number: '1',
          date: '2026-11-01',
          fields: ['company.status'],
        },
      ],
      total_results: 1,
      pages: 1,
    }),
    entity: () => null,
    ask: (client, n) => client.v2.watch.list({ page: n + 1 }),
    numberIn: (url) => (url.pathname === '/v2/companies/watch' ? Number(url.searchParams.get('page')) - 1 : Number.NaN),
  },
  {
    stream: 'watch_events',
    body: () => ({
      data: [
        {
          status: 'UPDATED',
          message: 'now <em>Inactive</em>',
          date_created: '2026-11-02T03:04:05Z',
          event_type: 'company.status',
        },
      ],
      total_results: 1,
      pages: 1,
    }),
    entity: companyId,
    ask: (client, n) => client.v2.watch.events(companyId(n), { page: 1 }),
    numberIn: inPath(/^\/v2\/companies\/(\d+)\/watch\/events$/),
  },
  {
    stream: 'nomenclatures',
    body: (n) => ({
      countries: list('Denmark', 'Sweden'),
      statuses: { 1: 'Active', 2: `S ${n}` },
      departments: [{ id: 7, name: 'IT', parent_id: 3 }],
    }),
    entity: (n) => ['v1', 'tenders', 'donors'][n % 3] ?? 'v1',
    // Their requests are identical, so they are sent one at a time.
    ask: (client, n) =>
      n % 3 === 0
        ? client.v1.nomenclatures()
        : n % 3 === 1
          ? client.v1.tenderNomenclatures()
          : client.v1.tenderDonors(),
  },
];
