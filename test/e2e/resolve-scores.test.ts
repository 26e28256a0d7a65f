import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Identity } from '../helpers/target.js';
import { waitUntil } from '../helpers/sandbox.js';
import { startSystem, type System } from '../helpers/system.js';

const MARKET = { companies: 150, tenders: 0, seed: 9, maxPerPage: 25, latency: 5 };

let system: System;
let known: Identity[];
let file: string;

beforeAll(async () => {
  system = await startSystem({ market: MARKET });
  known = system.api.identities();
  file = path.join(system.project.dir, 'list.csv');
});
afterAll(() => system?.stop());

const quoted = (value: string | null): string => `"${(value ?? '').replaceAll('"', '""')}"`;
const matches = async () =>
  new Map(
    (
      await system.project.query(
        'SELECT CAST(request AS VARCHAR) AS request, company_id, state, kind FROM core.matches',
      )
    ).map((row) => [row['request'], row]),
  );

/** Companies whose name begins no other company's name. */
function distinct(): Identity[] {
  const plain = known.map(({ name }) => name.toLowerCase());
  return known.filter(
    (_, i) =>
      plain.filter((name) => name.includes(plain[i]!)).length === 1 && /^[\p{L}\p{N} &.,"]+$/u.test(known[i]!.name),
  );
}

it('finds every company by its number or website although the worker is killed', async () => {
  const rows = known.map((one, i) =>
    i % 3 === 0 && one.website !== null
      ? `,,${quoted(one.website)},${one.id}`
      : `${one.country},${quoted(one.registration)},,${one.id}`,
  );
  writeFileSync(file, ['country,reg no,website,own id', ...rows].join('\n'));
  const running = system.tidemark('resolve', file);
  await waitUntil('some companies are found', async () => (await system.api.requests()) > 40);
  await system.worker.stop('SIGKILL');
  await system.startWorker();
  const { code, stderr } = await running;
  expect(code, stderr).toBe(0);
  const written = readFileSync(file.replace('.csv', '.matched.csv'), 'utf8').trim().split('\r\n').slice(1);
  expect(written).toHaveLength(known.length);
  for (const line of written) {
    const cells = line.split(',');
    expect(cells[4], line).toBe(cells[3]);
  }
  const companies = await system.project.query(
    'SELECT company_id::VARCHAR AS id FROM core.companies ORDER BY company_id',
  );
  expect(companies.map(({ id }) => id)).toEqual(known.map(({ id }) => id).toSorted((a, b) => Number(a) - Number(b)));
  expect(await system.project.query('SELECT reason FROM ops.rejects')).toEqual([]);
}, 120_000);

it('asks an equal question only once, in whatever case, spacing and column order', async () => {
  const before = await system.api.requests();
  const rows = known.map(
    ({ country, registration }) => `${quoted(` ${registration.toLowerCase()} `)},${country.toLowerCase()}`,
  );
  writeFileSync(file, ['Registration-Number,COUNTRY', ...rows].join('\n'));
  const { code } = await system.tidemark('resolve', file);
  expect(code).toBe(0);
  const asked = new Set(
    [...(await matches()).keys()].filter((request) => (request as string).includes('registration')),
  );
  expect(asked.size).toBe(known.length);
  // Only the companies that the first list named by website are new questions.
  const sent = (await system.api.requests()) - before;
  expect(sent).toBeLessThan(known.filter(({ website }, i) => i % 3 === 0 && website !== null).length + 20);
}, 120_000);

it('scores names, leaves uncertain ones to a person, and keeps the decision through a replay', async () => {
  const [first, second] = distinct();
  const elsewhere = first!.country === 'US' ? 'DK' : 'US';
  writeFileSync(
    file,
    [
      'company,country',
      `${quoted(first!.name.toUpperCase())},${first!.country}`,
      `${quoted(second!.name)},${elsewhere === 'US' && second!.country === 'US' ? 'DK' : elsewhere}`,
      '"No company is called this",DK',
    ].join('\n'),
  );
  const { code, stdout } = await system.tidemark('resolve', file);
  expect(code).toBe(0);
  expect(stdout).toContain('matched    1 of 3: 1 by name');
  expect(stdout).toContain('ambiguous  1: fill the column "decision"');
  const ambiguous = file.replace('.csv', '.ambiguous.csv');
  const lines = readFileSync(ambiguous, 'utf8').trim().split('\r\n');
  const decided = lines.map((line, i) => (i > 0 && line.includes(`,${second!.id},`) ? `${line}yes` : line));
  expect(decided).not.toEqual(lines);
  writeFileSync(ambiguous, decided.join('\r\n'));
  const before = await system.api.requests();
  const again = await system.tidemark('resolve', file, '--decisions', ambiguous);
  expect(again.stdout, again.stderr).toContain('matched    2 of 3: 1 by decision, 1 by name');
  const states = async () =>
    system.project.query(
      `SELECT state, company_id::VARCHAR AS id FROM core.matches WHERE json_exists(request, '$.name') ORDER BY state`,
    );
  const expected = [
    { state: 'decided', id: second!.id },
    { state: 'matched', id: first!.id },
    { state: 'unmatched', id: null },
  ];
  expect(await states()).toEqual(expected);
  expect((await system.api.requests()) - before).toBeLessThan(20);
  await system.worker.stop();
  const replayed = await system.tidemark('replay');
  expect(replayed.code, replayed.stderr).toBe(0);
  await system.startWorker();
  expect(await states()).toEqual(expected);
}, 120_000);

it('keeps no address and no person in the data folder without personalData: contacts', async () => {
  writeFileSync(
    file,
    [
      'e-mail,contact person,note,country',
      'planted.local@planted-domain.example,Planted Person,Planted note,DK',
      'other.local@planted-domain.example,,"plantedtear""planted,',
    ].join('\n'),
  );
  const { code, stderr } = await system.tidemark('resolve', file);
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('personalData is none: only the domain of e-mail is used and kept.');
  expect(stderr).toContain('personalData is none: contact person is ignored.');
  const places = readdirSync(system.project.dataDir, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(system.project.dataDir, name))
    .filter((name) => statSync(name).isFile())
    .map((name) => readFileSync(name));
  expect(places.some((place) => place.includes('planted-domain.example'))).toBe(true);
  for (const planted of ['planted.local', 'other.local', 'Planted Person', 'Planted note', 'plantedtear'])
    expect(
      places.some((place) => place.includes(planted)),
      planted,
    ).toBe(false);
  rmSync(file);
}, 120_000);
