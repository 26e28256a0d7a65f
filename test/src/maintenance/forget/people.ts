import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Answer } from '../../../../src/warehouse/models/cases/land-answers.js';
import { spoolOf } from '../../../helpers/spool.js';
import { land, marketNight } from '../../../helpers/warehouse.js';

/* A data folder with planted people. Ids from 500000 on belong to people to forget, others to people who stay. */

/** Number of companies. Each has five people to forget and two who stay. The long tests set a larger number. */
export const COUNT = Number(process.env['TIDEMARK_TEST_COMPANIES'] ?? 8);
const COMPANIES = Array.from({ length: COUNT }, (_, i) => 1_000 + i);
const EACH = 5;
export const GONE_FROM = 5_000_000;

/** Ids of the people to forget. */
export const GONE = COMPANIES.flatMap((company) => Array.from({ length: EACH }, (_, n) => goneId(company, n)));

function goneId(company: number, n: number): string {
  return String(GONE_FROM + company * 10 + n);
}

/** Texts of a person that exist nowhere else. Half are not ASCII. */
export function markersOf(id: string): string[] {
  return [`Žofie${id}x`, `Tajný-${id}`, `tajny.${id}@firm.example`, `+45 77 ${id}`, `Tajný note "${id}"`];
}

function person(id: string, more: object = {}): object {
  const [first, last, email, phone, note] = markersOf(id);
  return {
    id: Number(id),
    first_name: first,
    last_name: last,
    gender: 'female',
    contact_email: email,
    contact_phone: phone,
    nationality: 'Danish',
    company_name: 'A firm',
    remark: note,
    ...more,
  };
}

const stays = (company: number, n: number): object =>
  person(String(company * 10 + n), { first_name: 'Anna', function_original_name: 'Clerk' });

/** The listing of a company: people who stay, and those to forget. */
export function listing(company: number, night: number, gone = true): Answer {
  const forgotten = Array.from({ length: EACH }, (_, n) =>
    // One has a first name that others have, and one has a value that becomes a reject.
    person(
      goneId(company, n),
      n === 0 ? { first_name: 'Anna' } : n === 1 ? { gender: { is: `Tajný-${goneId(company, n)}` } } : {},
    ),
  );
  const list = [stays(company, 0), ...(gone ? forgotten : []), stays(company, 1)];
  return { ...at(night, '04'), stream: 'executives', entity: String(company), body: { pages: 1, list } };
}

function at(night: number, hour: string) {
  const date = `2026-11-0${night}`;
  return { run: `n${night}`, date, at: `${date}T${hour}:00:00.000Z`, market: 'm' } as const;
}

function event(company: number, night: number, gone = true): Answer[] {
  const id = goneId(company, 2);
  const [first, last, email] = markersOf(id);
  const date = `2026-11-0${night}T01:00:00Z`;
  const item = (field: string, message: string) => ({
    event_type: field,
    date_created: date,
    status: 'UPDATED',
    message,
  });
  const data = [
    item('company.status', 'Now <em>active</em>'),
    item('officer.appointment', 'Somebody <b>Else</b>'),
    ...(gone ? [item('officer.appointment', `<em>${first} ${last}</em> joined`)] : []),
  ];
  const body = { company_data: { id: company, name: 'A firm', date }, status: 'UPDATE', old_value: null };
  return [
    {
      ...at(night, '05'),
      stream: 'watch_events',
      entity: String(company),
      body: { total_results: data.length, pages: 1, data },
    },
    {
      ...at(night, '06'),
      run: 'webhook',
      market: null,
      stream: 'watch_events',
      entity: String(company),
      request: 'WEBHOOK /delivery',
      body: { ...body, field: 'employee.email', new_value: gone ? { was: email } : 'a@b.example' },
    },
  ];
}

function tender(company: number): Answer {
  const [, , email] = markersOf(goneId(company, 3));
  const body = {
    slug: `lot-${company}`,
    title: 'Bridge',
    contacts: {
      email: [
        { id: 1, type: 'email', name: email },
        { id: 2, type: 'email', name: 'office@buyer.example' },
      ],
    },
  };
  return { ...at(2, '07'), stream: 'tender_details', entity: `lot-${company}`, body };
}

/** Employees of a company, their details, and its owners: further streams that name the same people. */
function otherStreams(company: number, night: number): Answer[] {
  const ids = [goneId(company, 4), String(company * 10)];
  const described = (id: string): object => {
    const [first, last, email, phone] = markersOf(id);
    return { id, full_name: `${first} ${last}`, first_name: first, last_name: last, email, phone, company_id: company };
  };
  const found = {
    total_employees: ids.length,
    total_pages: 1,
    data: ids.map((id) => ({ id, name: markersOf(id)[1] })),
  };
  const owners = { conclusive: true, owners: ids.map((id) => ({ id, name: markersOf(id)[1], effective_share: 50 })) };
  return [
    { ...at(night, '08'), stream: 'employees', entity: String(company), body: found },
    ...ids.map((id): Answer => ({ ...at(night, '09'), stream: 'employee_details', entity: id, body: described(id) })),
    {
      ...at(night, '10'),
      stream: 'ownership',
      entity: String(company),
      request: `GET /v2/kyb/${company}/ubo?threshold=25`,
      body: owners,
    },
  ];
}

/** Answers to a list of people: a record found by e-mail, and a search by name that also finds someone who stays. */
function enrichments(company: number): Answer[] {
  const [gone, other] = [goneId(company, 4), String(company * 10)];
  const [first, last, email, phone] = markersOf(gone);
  const record = { id: Number(gone), first_name: first, last_name: last, email, phone, company_id: company };
  const found = [gone, other].map((id) => ({ id, name: markersOf(id)[1], company_id: company }));
  return [
    { question: { email }, request: 'POST /v2/enrichment/email', body: record },
    {
      question: { first_name: first, last_name: last, domain: `firm-${company}.example` },
      request: 'POST /v2/enrichment/employee/search',
      body: { total_results: 2, data: found },
    },
  ].map(({ question, request, body }) => asked('enrichments', question, request, body));
}

/**
 * Answers to a list of companies. One company is found by the e-mail address of a person to forget, the other by an
 * address of its own.
 */
function matches(company: number): Answer[] {
  const [, , email] = markersOf(goneId(company, 4));
  return [email!.toUpperCase(), `office@firm-${company}.example`].map((address) =>
    asked('matches', { email: address }, 'POST /v2/enrichment/email', { id: company, name: 'A firm' }),
  );
}

function asked(stream: 'enrichments' | 'matches', question: object, request: string, body: object): Answer {
  return { ...at(2, '11'), market: null, stream, entity: JSON.stringify(question), request, body };
}

/** Lands two nights; the second night repeats the listings. */
export async function landPeople(dataDir: string): Promise<void> {
  for (const night of [1, 2]) {
    await land(dataDir, marketNight({ run: `n${night}`, date: `2026-11-0${night}`, ids: COMPANIES }));
    await land(
      dataDir,
      COMPANIES.map((company) => listing(company, night)),
    );
    await land(
      dataDir,
      COMPANIES.flatMap((company) => event(company, night)),
    );
    await land(
      dataDir,
      COMPANIES.flatMap((company) => otherStreams(company, night)),
    );
  }
  await land(dataDir, COMPANIES.map(tender));
  await land(dataDir, COMPANIES.flatMap(enrichments));
  await land(dataDir, COMPANIES.flatMap(matches));
  // An answer that is no JSON, as a proxy may cut it off.
  await land(dataDir, [{ ...listing(1_000, 2), status: 0, body: `{"list":[{"last_name":"${markersOf(GONE[0]!)[1]}` }]);
}

/** Writes other files that hold planted texts. */
export function plantFiles(dataDir: string): void {
  const [first, , email] = markersOf(GONE[0]!);
  const write = (name: string, text: string): void => {
    mkdirSync(path.dirname(path.join(dataDir, name)), { recursive: true });
    appendFileSync(path.join(dataDir, name), text);
  };
  write('logs/worker.log', `one line\nan error about ${email}\nanother line\n`);
  write('resolve/0123.csv', `name,contact\nFirm,${email}\n`);
  write('report.html', `<p>${first}</p>`);
  const question = JSON.stringify({ email });
  write(
    'runs/n2/due/enrichments/chunk-00000.json',
    JSON.stringify([{ id: question }, { id: '{"email":"a@b.example"}' }]),
  );
  write('rebuilt/2026-11-01..2026-11-02/notes.txt', String(email));
  write('env/dev.duckdb', String(email));
  const row = {
    request_key: 'POST /x',
    entity_id: '1000',
    row_kind: 'nojob:',
    status: 200,
    body: `{"name":"${email}"}`,
  };
  write('owner-jobs/ended/1000.json', JSON.stringify({ company: '1000', state: 'ended', row }));
}

/** A spool that an ended run left behind. */
export function plantSpool(dataDir: string): string {
  const folder = path.join(dataDir, 'landing/executives/date=2026-11-02/run=n2/_spool');
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, 'part-executives-00009.spool');
  const { entity, body } = listing(1_001, 2);
  const row = {
    request_key: 'GET /x',
    entity_id: entity ?? null,
    row_kind: 's',
    status: 200,
    fetched_at: '2026-11-02T08:00:00.000Z',
  };
  const whole = spoolOf([{ ...row, body: JSON.stringify(body) }]);
  writeFileSync(file, Buffer.concat([whole, Buffer.from(`{"torn": "${markersOf(GONE[5]!)[2]}`)]));
  return file;
}
