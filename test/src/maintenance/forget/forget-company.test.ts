import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { LandingStream } from '../../../../schemas/streams/landing-streams.js';
import { readManifests, readPartRows } from '../../../../src/landing/index.js';
import { forget } from '../../../../src/maintenance/forget/forget.js';
import { findTexts } from '../../../helpers/find-texts.js';
import { queryPublished } from '../../../../src/warehouse/builds/published.js';
import { rebuildWarehouse } from '../../../../src/maintenance/rebuild.js';
import { land, temporaryDataDir, type Answer } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

const NOW = new Date('2026-11-25T02:00:00Z');
const COMPANY = '1000100';
const OTHER = '1000200';

interface Person {
  id: number;
  first: string;
  last: string;
  email: string;
  phone: string;
}

/** A person whose texts are in no other text, and do not contain the id. */
function person(id: number): Person {
  const word = (): string => `Ř${randomBytes(5).toString('hex')}`;
  const phone = `+45 ${randomBytes(4).readUInt32BE(0)}1`;
  return { id, first: word(), last: word(), email: `${word()}@mail.example`, phone };
}

const textsOf = ({ first, last, email, phone }: Person): string[] => [first, last, email, phone];

/** An employee's record, which names no company. */
const details = ({ id, first, last, email, phone }: Person): Answer => ({
  stream: 'employee_details',
  entity: String(id),
  body: { id, first_name: first, last_name: last, email, phone, profile: `https://pro.example/${last}` },
});
const listing = (stream: LandingStream, company: string, people: Person[]): Answer => {
  const items = people.map(({ id, first, last }) => ({ id, name: `${first} ${last}` }));
  const body = stream === 'ownership' ? { conclusive: true, owners: items } : { pages: 1, data: items };
  return { stream, entity: company, body };
};
const tender = (slug: string, people: Person[], firstId = 1): Answer => ({
  stream: 'tender_details',
  entity: slug,
  body: { slug, contacts: { email: people.map(({ email }, i) => ({ id: firstId + i, type: 'email', name: email })) } },
});
const events = (company: string, { first, last }: Person): Answer => ({
  stream: 'watch_events',
  entity: company,
  body: {
    data: [
      {
        event_type: 'officer.appointment',
        date_created: '2026-11-20T01:00:00Z',
        message: `<em>${first} ${last}</em> joined`,
      },
    ],
  },
});
const delivery = (company: string, { email }: Person): Answer => ({
  stream: 'watch_events',
  entity: company,
  request: 'WEBHOOK /delivery',
  body: { company_data: { id: Number(company), name: 'A firm' }, field: 'employee.email', new_value: email },
});
const asked = ({ id, email, last }: Person): Answer => ({
  stream: 'enrichments',
  entity: JSON.stringify({ email }),
  body: { id, last_name: last, email },
});

it('forgets all people whom any stream links to the company, and nobody else', async () => {
  const dataDir = temporaryDataDir();
  const [executive, employee, owner, known, stays] = [5, 6, 7, 8, 9].map((n) => person(900_000 + n)) as [
    Person,
    Person,
    Person,
    Person,
    Person,
  ];
  const gone = [executive, employee, owner, known];
  await land(dataDir, [
    listing('executives', COMPANY, [executive]),
    listing('employees', COMPANY, [employee]),
    listing('ownership', COMPANY, [owner, { ...stays, id: Number(OTHER) }]),
    // Only this record says that the person belongs to the company.
    { ...asked(known), body: { id: known.id, last_name: known.last, company_id: Number(COMPANY) } },
    listing('employees', OTHER, [stays]),
    ...[...gone, stays].map(details),
    tender('bridge', [executive, owner, stays]),
    events(OTHER, stays),
    events(COMPANY, executive),
    delivery(COMPANY, employee),
    delivery(OTHER, owner),
    asked(employee),
    asked(stays),
  ]);
  expect((await findTexts(dataDir, gone.flatMap(textsOf))).length).toBeGreaterThan(15);

  const subjects = [{ kind: 'company', id: COMPANY } as const];
  const { proof } = await forget(new Data(dataDir), { subjects, now: NOW, personalData: true });
  expect(proof).toMatchObject({ proven: true, others: [], remaining: [], unread: [] });
  expect(await findTexts(dataDir, gone.flatMap(textsOf))).toEqual([]);

  const rows = readManifests(dataDir).flatMap(readPartRows);
  const streams = rows.filter(({ body }) => textsOf(stays).some((text) => body.includes(text)));
  expect(streams.map(({ request_key }) => request_key).toSorted()).toEqual(
    [
      'GET /employees/1000200',
      'GET /employee_details/900009',
      'GET /tender_details/bridge',
      'GET /watch_events/1000200',
      `GET /enrichments/${JSON.stringify({ email: stays.email })}`,
    ].toSorted(),
  );

  // Later answers do not bring them back, also as a contact with another id.
  await land(
    dataDir,
    [
      ...gone.map(details),
      listing('employees', COMPANY, gone),
      asked({ ...owner, id: 1 }),
      delivery(OTHER, known),
      events(COMPANY, executive),
      tender('road', [executive], 70),
    ].map((answer) => ({ ...answer, run: 'later', date: '2026-11-26' })),
  );
  expect(await findTexts(dataDir, gone.flatMap(textsOf))).toEqual([]);
});

it('fails if another person has the address of a forgotten person, unless this is accepted', async () => {
  const dataDir = temporaryDataDir();
  const [gone, stays] = [person(900_001), person(900_002)];
  await land(dataDir, [details(gone), details({ ...stays, email: gone.email })]);
  const request = { subjects: [{ kind: 'person', id: String(gone.id) } as const], now: NOW, personalData: true };
  const { proof } = await forget(new Data(dataDir), request);
  expect(proof).toMatchObject({
    proven: false,
    others: ['employee_details 900002'],
  });
  expect((await forget(new Data(dataDir), { ...request, keepShared: true })).proof).toMatchObject({
    proven: true,
  });
  expect(await findTexts(dataDir, [gone.last, gone.phone])).toEqual([]);
});

it('publishes amounts in the currency of the settings, as a night does', async () => {
  const dataDir = temporaryDataDir();
  const amounts = (): Promise<unknown> =>
    queryPublished(dataDir, 'SELECT turnover_eur FROM marts.company_years WHERE turnover IS NOT NULL');
  const file = path.join(dataDir, 'rates.csv');
  writeFileSync(file, 'Date,currency,rate\n2023-12-29,USD,2\n');
  const rates = { file, name: './rates.csv', data: new Data(dataDir), base: 'EUR', reporting: 'EUR' };
  await land(dataDir, [
    { stream: 'financials', entity: OTHER, body: { 2023: { Currency: 'USD', Turnover: 8 } } },
    details(person(900_001)),
  ]);
  const request = { now: NOW, personalData: true, rates };
  await rebuildWarehouse(new Data(dataDir), request);
  expect(await amounts()).toEqual([[4]]);
  await forget(new Data(dataDir), { ...request, subjects: [{ kind: 'person', id: '900001' }] });
  expect(await amounts()).toEqual([[4]]);
});
