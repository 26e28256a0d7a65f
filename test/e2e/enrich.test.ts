import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PersonIdentity } from '../helpers/target.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';

const MARKET = { companies: 80, tenders: 0, seed: 4, maxPerPage: 4, latency: 5 };

let system: System;
let people: PersonIdentity[];
let file: string;

beforeAll(async () => {
  system = await startSystem({ market: MARKET, config: { personalData: 'contacts' } });
  people = system.api.people().slice(0, 120);
  file = path.join(system.project.dir, 'people.csv');
});
afterAll(() => system?.stop());

const quoted = (value: string | null): string => `"${(value ?? '').replaceAll('"', '""')}"`;
const enriched = () =>
  system.project.query(
    'SELECT request, employee_id::VARCHAR AS id, company_id::VARCHAR AS company, matched, payload FROM core.enrichments',
  );

it('enriches people by e-mail or name, once, although the worker is killed', async () => {
  const rows = people.map((one, i) =>
    i % 2 === 0 && one.email !== null
      ? `${one.email},,,,${one.id}`
      : `,${quoted(one.firstName)},${quoted(one.lastName)},${quoted(one.companyName)},${one.id}`,
  );
  writeFileSync(file, ['E-mail,first name,surname,company,own id', ...rows].join('\n'));
  const running = system.tidemark('enrich', file, '--people');
  await waitUntil('some people are found', async () => (await system.api.requests()) > 30);
  await system.worker.stop('SIGKILL');
  await system.startWorker();
  const { code, stderr } = await running;
  expect(code, stderr).toBe(0);
  const byId = new Map(people.map((one) => [one.id, one]));
  const found = await enriched();
  expect(found.length).toBeGreaterThan(100);
  for (const row of found.filter(({ matched }) => matched === true)) {
    const { phone, last_name } = JSON.parse(row['payload'] as string) as Record<string, string | null>;
    const truth = byId.get(row['id'] as string);
    expect([row['company'], last_name], JSON.stringify(row)).toEqual([truth?.companyId, truth?.lastName]);
    expect(phone ?? null).toBeNull();
  }
  expect(found.filter(({ matched }) => matched === true).length).toBeGreaterThan(0.9 * found.length);
  expect(await system.project.query('FROM ops.reveals')).toEqual([]);
  const written = readFileSync(file.replace('.csv', '.enriched.csv'), 'utf8').trim().split('\r\n');
  expect(written).toHaveLength(people.length + 1);
  const before = await system.api.requests('POST /v2/enrichment/email');
  await system.tidemark('enrich', file, '--people');
  expect(await system.api.requests('POST /v2/enrichment/email')).toBe(before);
}, 120_000);

it('finds a person on a later page of a search', async () => {
  const all = system.api.people();
  const sizeOf = (id: string): number => all.filter(({ companyId }) => companyId === id).length;
  const company = system.api
    .identities()
    .filter(({ website }) => website !== null)
    .toSorted((a, b) => sizeOf(b.id) - sizeOf(a.id))[0]!;
  const others = all.filter(({ companyId }) => companyId === company.id);
  const one = others.findLast(
    ({ firstName, lastName }) =>
      others.filter((o) => o.firstName === firstName && o.lastName === lastName).length === 1,
  )!;
  await system.api.answer({
    route: '/v2/enrichment/employee/contacts',
    status: 404,
    body: { detail: 'Not found.', error_name: 'IdNotFound' },
  });
  const SEARCH = 'POST /v2/enrichment/employee/search';
  const before = await system.api.requests(SEARCH);
  const rows = [one.firstName, one.lastName, company.website].map(quoted).join(',');
  writeFileSync(file, `first name,last name,domain\n${rows}\n`);
  const { code, stderr } = await system.tidemark('enrich', file, '--people');
  await system.api.clearFaults();
  expect(code, stderr).toBe(0);
  expect((await system.api.requests(SEARCH)) - before).toBeGreaterThan(1);
  const [found] = (await enriched()).filter(({ request }) => (request as string).includes('"domain"'));
  expect(found).toMatchObject({ matched: true, id: one.id });
}, 120_000);

it('reveals contact data only if asked, and books it', async () => {
  const one = people.find(({ phone }) => phone !== null)!;
  writeFileSync(
    file,
    `first name,last name,company\n${[one.firstName, one.lastName, one.companyName].map(quoted).join(',')}\n`,
  );
  const { code, stderr } = await system.tidemark('enrich', file, '--people', '--reveal', 'phone');
  expect(code, stderr).toBe(0);
  const [row] = (await enriched()).filter(({ request }) => (request as string).includes('reveal'));
  expect((JSON.parse(row!['payload'] as string) as { phone: string }).phone).toBe(one.phone);
  expect(await system.project.query('SELECT what, revealed FROM ops.reveals')).toEqual([
    { what: 'phone', revealed: true },
  ]);
}, 60_000);

it('enriches companies with their full record', async () => {
  const known = system.api.identities().slice(0, 20);
  writeFileSync(
    file,
    ['reg no,country', ...known.map((one) => `${quoted(one.registration)},${one.country}`)].join('\n'),
  );
  const { code, stdout, stderr } = await system.tidemark('enrich', file);
  expect(code, stderr).toBe(0);
  expect(stdout).toContain('found      20 of 20');
  const rows = (await enriched()).filter(({ id }) => id === null);
  expect(rows.map(({ company }) => company)).toEqual(expect.arrayContaining(known.map(({ id }) => id)));
}, 60_000);

it('refuses people without personalData: contacts before any request', async () => {
  const careful = system.addProject({});
  const before = await system.api.requests();
  writeFileSync(file, `email\n${people[0]?.email ?? 'a@b.example'}\n`);
  const { tidemarkIn } = await import('../helpers/run-cli.js');
  const { code, stderr } = await tidemarkIn(careful, ['enrich', file, '--people']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('personalData is none, so people are not enriched.')]);
  expect(await system.api.requests()).toBe(before);
}, 60_000);
