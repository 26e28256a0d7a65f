import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CompanyQuestion } from '../../../../../schemas/pipeline/resolve.js';
import { createApiClient, NotFoundError, type ApiClient } from '../../../../../src/api/index.js';
import { identify } from '../../../../../src/crawl/streams/matches/identify.js';
import { COMPANIES } from '../../../../../src/crawl/streams/matches/read-questions.js';
import { scoreCandidates } from '../../../../../src/crawl/streams/matches/score-candidates.js';
import { Routes } from '../../../../../src/crawl/judge/routes.js';
import { canonicalJson } from '../../../../../src/base/json/canonical-json.js';

/** A request to the server: its path and body. */
type Asked = [path: string, body: Record<string, unknown>];

/*
 * An API that knows one company, and finds it only by the exact spelling of its record. It shares no code with Tidemark
 * or its sandbox.
 */
let server: Server;
let company: Record<string, unknown>;
let asked: Asked[];
let client: ApiClient;

const FIELDS: Record<string, string> = {
  registration_number: 'registration_number',
  vat_number: 'vat_number',
  phone_number: 'company_phone',
  pronet: 'pronet',
  url: 'company_website',
};

function knows(body: Record<string, unknown>): boolean {
  const given = Object.entries(body).filter(([name]) => name in FIELDS);
  return given.length > 0 && given.every(([name, value]) => [company[FIELDS[name]!]].flat().includes(value));
}

beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString() || '{}') as Record<string, unknown>;
      asked.push([request.url ?? '', body]);
      const isSearch = request.url === '/v2/overview' || request.url === '/v2/prospecting';
      const found = knows(body);
      const data = isSearch ? { total_results: found ? 1 : 0, total_pages: 1, data: found ? [company] : [] } : company;
      response.writeHead(isSearch || found ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isSearch || found ? data : { detail: 'Not found.' }));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  client = createApiClient({
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey: 'k',
    maxRetries: 0,
  });
});

afterAll(async () => {
  await client?.close();
  server?.close();
});

/** Asks for one row of a list. Returns what the answers say, and the requests. */
async function resolve(row: CompanyQuestion, record: Record<string, unknown>) {
  company = { id: 7, name: 'Noordzee Staalbouw', ...record };
  asked = [];
  const fields = Object.entries(row).map(([field, value]) => [
    field,
    COMPANIES.fields[field as keyof CompanyQuestion].normalize(value),
  ]);
  const question = canonicalJson(Object.fromEntries(fields) as CompanyQuestion);
  const answers = await identify(client, question, new AbortController().signal, new Routes([]));
  return { ...(await scoreCandidates(question, answers)), requests: asked.length };
}

type Case = [row: CompanyQuestion, record: Record<string, unknown>, mostRequests: number];

describe('a company of which list and API spell an identifier differently', () => {
  it.each<Case>([
    // VAT numbers: list with prefix, API without; and the reverse.
    [{ country_code: 'BE', vat_number: 'BE0400000067' }, { country_code: 'BE', vat_number: '0400000067' }, 2],
    [{ country_code: 'BE', vat_number: '0400000067' }, { country_code: 'BE', vat_number: 'BE0400000067' }, 2],
    [{ country_code: 'BE', vat_number: 'BE0400000067' }, { country_code: 'BE', vat_number: 'BE0400000067' }, 1],
    [{ country_code: 'BE', vat_number: '0400000067' }, { country_code: 'BE', vat_number: '0400000067' }, 1],
    [{ country_code: 'BE', vat_number: 'BE400000067' }, { country_code: 'BE', vat_number: 'BE0400000067' }, 2],
    [{ country_code: 'BE', vat_number: '400 000 067' }, { country_code: 'BE', vat_number: '0400000067' }, 3],
    [{ country_code: 'GR', vat_number: 'EL099999998' }, { country_code: 'GR', vat_number: '099999998' }, 2],
    [{ country_code: 'GR', vat_number: '099999998' }, { country_code: 'GR', vat_number: 'EL099999998' }, 2],
    [{ country_code: 'GR', vat_number: 'GR099999998' }, { country_code: 'GR', vat_number: 'EL099999998' }, 2],
    [{ country_code: 'EL', vat_number: 'GR099999998' }, { country_code: 'GR', vat_number: '099999998' }, 3],
    [{ country_code: 'GB', vat_number: 'XI123456727' }, { country_code: 'GB', vat_number: 'GB123456727' }, 2],
    [{ country_code: 'CH', vat_number: 'CHE-100.123.459 MWST' }, { country_code: 'CH', vat_number: 'CHE100123459' }, 2],
    [{ country_code: 'NO', vat_number: '912345688' }, { country_code: 'NO', vat_number: 'NO912345688MVA' }, 2],
    [{ country_code: 'AT', vat_number: 'ATU12345675' }, { country_code: 'AT', vat_number: 'U12345675' }, 2],
    [{ country_code: 'NL', vat_number: '012345672B01' }, { country_code: 'NL', vat_number: 'NL012345672B01' }, 2],
    [{ country_code: 'DK', vat_number: 'DK99887766' }, { country_code: 'DK', vat_number: '99887766' }, 2],
    // Numbers of registers.
    [{ country_code: 'GB', registration_number: '123456' }, { country_code: 'GB', registration_number: '00123456' }, 2],
    [
      { country_code: 'FI', registration_number: '1234562' },
      { country_code: 'FI', registration_number: '01234562' },
      2,
    ],
    [
      { country_code: 'SE', registration_number: '551234-5678' },
      { country_code: 'SE', registration_number: '5512345678' },
      2,
    ],
    // Telephone numbers.
    [{ country_code: 'GB', phone: '020 7946 0018 x12' }, { country_code: 'GB', company_phone: ['+442079460018'] }, 2],
    [{ country_code: 'GB', phone: '+44 (0)20 7946 0018' }, { country_code: 'GB', company_phone: ['02079460018'] }, 2],
    [{ phone: '0044 20 7946 0018' }, { country_code: 'GB', company_phone: ['+442079460018'] }, 1],
    // Addresses.
    [{ website: 'https://firm.example/en?utm_source=x' }, { company_website: 'firm.example' }, 1],
    [{ website: 'münchen-stahl.example' }, { company_website: 'xn--mnchen-stahl-dlb.example' }, 2],
    [{ website: 'XN--MNCHEN-STAHL-DLB.example' }, { company_website: 'münchen-stahl.example' }, 2],
    [{ website: 'shop.firm.example' }, { company_website: 'firm.example' }, 2],
    [{ email: 'Info <info@mail.firm.example>' }, { company_website: 'firm.example' }, 2],
    [
      { profile: 'https://dk.pronet.example/company/firm/about?trk=x' },
      { pronet: 'https://pronet.example/company/firm' },
      2,
    ],
  ])('is found: %j, %j', async (row, record, mostRequests) => {
    const { state, company_id, requests } = await resolve(row, record);
    expect({ state, company_id }).toEqual({ state: 'matched', company_id: '7' });
    expect(requests).toBeLessThanOrEqual(mostRequests);
  });

  it('is found with its name, as one whose VAT number agrees', async () => {
    const row = { country_code: 'BE', name: 'Noordzee Staalbouw NV', vat_number: '0400000067' };
    const { state, score } = await resolve(row, { country_code: 'BE', vat_number: 'BE0400000067' });
    expect({ state, score }).toEqual({ state: 'matched', score: 0.95 });
  });

  it.each<[row: CompanyQuestion, record: Record<string, unknown>]>([
    [
      { country_code: 'BE', vat_number: 'BE0400000166' },
      { country_code: 'BE', vat_number: 'BE0400000067' },
    ],
    [
      { country_code: 'DK', vat_number: 'DK99887766' },
      { country_code: 'SE', vat_number: 'SE99887766' },
    ],
    [
      { country_code: 'GB', registration_number: 'SC123456' },
      { country_code: 'GB', registration_number: '00123456' },
    ],
    [{ website: 'one.eu.org' }, { company_website: 'two.eu.org' }],
  ])('is not found if the identifier is another one, and few requests are sent: %j, %j', async (row, record) => {
    await resolve(row, record).then(
      ({ state }) => expect(state).toBe('unmatched'),
      (error: unknown) => expect(error).toBeInstanceOf(NotFoundError),
    );
    expect(asked.length).toBeLessThanOrEqual(4);
  });
});
