import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A Company Data API written by hand from the reference, apart from the sandbox on purpose: it chooses differently
 * wherever the reference is silent. Pages hold 7 whatever is asked; errors come under unusual statuses; ids are text
 * in searches; incorporation takes years only; totals come without `total_pages` being right beyond the cap; one
 * company vanishes between search and details; one record is odd; the first answer to some requests is a proxy's page.
 */
export interface StubApi {
  url: string;
  key: string;
  /** Companies a complete crawl must find. */
  companies: StubCompany[];
  /** Ids whose details answer "gone". */
  gone: Set<number>;
  requests: string[];
  /** Searches that always fail, while everything else works. */
  broken: { search: (filters: Record<string, unknown>, page: number) => boolean };
  close(): Promise<void>;
}

export interface StubCompany {
  id: number;
  name: string;
  status: number;
  year: number | null;
  form: number;
}

const PAGE = 7;
const LAST_PAGE = 10;
const FORMS = [2, 8, 13, 14, 16];

/** @param idText How it writes a company's id, as JSON; its routes take the same without quotes. Default: as text. */
export async function startStubApi(count = 180, idText: (id: number) => string = (id) => `"${id}"`): Promise<StubApi> {
  const inPath = (id: number): string => idText(id).replaceAll('"', '');
  const companies = Array.from({ length: count }, (_, i): StubCompany => ({
    id: 5_000 + i * 13,
    name: `Stub № ${i} "Übung", s.r.o.`,
    status: i % 9 === 0 ? 200 : 199,
    year: i % 20 === 0 ? null : 1960 + ((i * 7) % 60),
    form: FORMS[(i * i) % FORMS.length] ?? 2,
  }));
  const gone = new Set([companies[3]?.id ?? 0]);
  const requests: string[] = [];
  const stumbled = new Set<string>();
  const broken: StubApi['broken'] = { search: () => false };
  const key = 'stub-key-0123456789';

  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => send(response, 500, { detail: String(error) }));
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', 'http://stub');
    const body = await readBody(request);
    requests.push(`${request.method} ${url.pathname}`);
    if (request.headers.authorization !== `Token ${key}`) return send(response, 403, { detail: 'Invalid token.' });
    const asked = `${request.method} ${url.pathname}${url.search} ${JSON.stringify(body)}`;
    const { filters = {}, page = 1 } = body as { filters?: Record<string, unknown>; page?: number };
    const alwaysFails = url.pathname === '/v2/prospecting' && broken.search(filters, page);
    if (requests.length % 37 === 0 && !stumbled.has(asked) && !alwaysFails) {
      stumbled.add(asked);
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<html><body>One moment, please</body></html>');
      return;
    }
    route(url, body, response);
  }

  function route(url: URL, body: Record<string, unknown>, response: ServerResponse): void {
    const details = /^\/v2\/companies\/([^/]+)$/.exec(url.pathname);
    const report = /^\/v2\/financial\/([^/]+)$/.exec(url.pathname);
    if (url.pathname === '/v2/metrics') return send(response, 200, [{ name: 'Usage', codename: 'usage', metrics: [] }]);
    if (url.pathname === '/v2/prospecting') return search(body, response);
    if (url.pathname === '/v1/finder/nomenclatures') {
      const ids = (values: number[]) => values.map((id) => ({ id, name: `value ${id}` }));
      return send(response, 200, {
        company_status: ids([199, 200, 201]),
        ownership_types: ids(FORMS),
        activity_type: ids([1, 2, 3]),
      });
    }
    if (url.pathname === '/v1/finder/company/financial')
      return send(response, 202, stubReportV1(Number(url.searchParams.get('id'))));
    if (url.pathname.startsWith('/v1/finder/')) {
      return send(response, 403, { error_name: 'ProductPermissionDenied', error_code: 403, message: 'no', data: {} });
    }
    if (details) return sendCompany(details[1] ?? '', response);
    if (report) return send(response, 203, stubReport(companies.find(({ id }) => inPath(id) === report[1])?.id ?? 0));
    return send(response, 404, { detail: 'Not found.' });
  }

  function search(body: Record<string, unknown>, response: ServerResponse): void {
    const page = Number(body['page'] ?? 1);
    if (page > LAST_PAGE) return send(response, 422, { page: ['Ensure this value is less than or equal to 10.'] });
    const filters = (body['filters'] ?? {}) as Record<string, unknown>;
    if (broken.search(filters, page)) return send(response, 500, { detail: 'Internal failure.' });
    const found: StubCompany[] = [];
    for (const company of companies) {
      const fits = Object.entries(filters).map(([name, value]) => matches(company, name, value));
      const refused = fits.find((fit) => typeof fit === 'string');
      if (typeof refused === 'string') return send(response, 422, { [refused]: ['Not a valid value.'] });
      if (fits.every((fit) => fit === true)) found.push(company);
    }
    const data = found
      .slice((page - 1) * PAGE, page * PAGE)
      .map(({ id, name }) => `{"id":${idText(id)},"name":${JSON.stringify(name)}}`);
    const pages = Math.min(LAST_PAGE, Math.ceil(found.length / PAGE));
    sendText(response, 201, `{"total_companies":${found.length},"total_pages":${pages},"data":[${data.join(',')}]}`);
  }

  function sendCompany(text: string, response: ServerResponse): void {
    const company = companies.find(({ id }) => inPath(id) === text);
    if (!company || gone.has(company.id)) return send(response, 404, { detail: 'Not found.' });
    const { id, ...record } = stubRecord(company);
    sendText(response, 200, `{"id":${idText(Number(id))},${JSON.stringify(record).slice(1)}`);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    key,
    companies,
    gone,
    requests,
    broken,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** The company record the stub serves: sparse, ids as text, one founding date that is no date. */
export function stubRecord(company: StubCompany): Record<string, unknown> {
  return {
    id: String(company.id),
    name: company.name,
    status: company.status === 199 ? 'Active' : 'Inactive',
    ...(company.year === null ? {} : { founding_date: company.id === 5_013 ? 'unknown' : `${company.year}-03-01` }),
    company_phone: null,
    unheard_of: { nested: [1, 2] },
  };
}

/** Two years, one number as text; an empty report for every fifth company. */
export function stubReport(id: number): Record<string, Record<string, unknown>> {
  if (id % 5 === 0) return {};
  return {
    '2023': { Currency: 'EUR', 'Reported-Date': '2023-12-31', Turnover: id * 1.5, 'Employee-Numbers': String(id % 90) },
    '2024': { Currency: 'EUR', Turnover: id * 2 },
  };
}

/** The same of version 1: one report, a value as text, nothing beside it. */
export function stubReportV1(id: number): Record<string, unknown> {
  return { companyId: id, reports: [{ date: '20231231', indicators: { Turnover: { value: String(id * 1.5) } } }] };
}

function matches(company: StubCompany, name: string, value: unknown): boolean | string {
  if (name === 'company_status') return (value as number[]).includes(company.status);
  if (name === 'legal_form') return (value as number[]).includes(company.form);
  if (name === 'company_incorporation') {
    const { gte, lte } = value as { gte?: unknown; lte?: unknown };
    for (const bound of [gte, lte]) if (bound !== undefined && !Number.isInteger(bound)) return name;
    if (company.year === null) return false;
    return company.year >= Number(gte ?? -Infinity) && company.year <= Number(lte ?? Infinity);
  }
  return name;
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}

function send(response: ServerResponse, status: number, body: unknown): void {
  sendText(response, status, JSON.stringify(body));
}

function sendText(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(body);
}
