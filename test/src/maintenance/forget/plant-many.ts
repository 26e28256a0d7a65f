import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Answer } from '../../../../src/warehouse/models/cases/land-answers.js';
import { quarantinePart, readManifests } from '../../../../src/landing/index.js';
import { spoolOf } from '../../../helpers/spool.js';
import { land, marketNight } from '../../../helpers/warehouse.js';
import { Data } from '../../../../src/store/data.js';

/* 200 people of 40 companies, and people of other companies who stay. No text of a person contains the person's id. */

export const COMPANIES = Array.from({ length: 40 }, (_, i) => 1_000_100 + i);
export const STAY = [2_000_100, 2_000_101];
const EACH = 5;
const ASIDE = '2026-01-03';

/** Ids of the people of a company. */
export const idsOf = (company: number): string[] =>
  Array.from({ length: EACH }, (_, i) => String(7_000_000 + (company - 1_000_000) * 10 + i));

/** Texts of a person that exist nowhere else. */
export function textsOf(id: string) {
  const word = (use: string): string => `Ř${createHash('sha256').update(`${use} ${id}`).digest('hex').slice(0, 9)}`;
  const [first, last] = [word('first'), word('last')];
  const digits = createHash('sha256').update(`phone ${id}`).digest().readUInt32BE(0);
  return {
    first,
    last,
    email: `${word('mail')}@mail.example`,
    phone: `+45 ${digits}7`,
    note: `says "${word('note')}" \\ /`,
  };
}

export const allTextsOf = (id: string): string[] => Object.values(textsOf(id));

/** The answers about the people of a company. Each person is in other streams. */
export function answersAbout(company: number, date: string): Answer[] {
  const ids = idsOf(company) as [string, string, string, string, string];
  const at = { run: `n${date}`, date, at: `${date}T04:00:00.000Z` };
  const named = (id: string): object => ({ id: Number(id), name: `${textsOf(id).first} ${textsOf(id).last}` });
  const record = (id: string): object => {
    const { first, last, email, phone, note } = textsOf(id);
    return { id: Number(id), first_name: first, last_name: last, email, phone, remark: note };
  };
  const executive = (id: string): object => {
    const { first, last, email, phone } = textsOf(id);
    return { id: Number(id), first_name: first, last_name: last, contact_email: email, contact_phone: phone };
  };
  const company_data = { id: company, name: 'A firm', date: `${date}T01:00:00Z` };
  const asked = (stream: 'enrichments' | 'matches', id: string, body: object): Answer => ({
    ...at,
    stream,
    market: null,
    entity: JSON.stringify({ email: textsOf(id).email }),
    request: 'POST /v2/enrichment/email',
    body,
  });
  return [
    { ...at, stream: 'executives', entity: String(company), body: { pages: 1, list: ids.slice(0, 2).map(executive) } },
    {
      ...at,
      stream: 'employees',
      entity: String(company),
      body: { total_employees: 3, total_pages: 1, data: ids.slice(1, 4).map(named) },
    },
    ...ids.map((id): Answer => ({ ...at, stream: 'employee_details', entity: id, body: record(id) })),
    {
      ...at,
      stream: 'ownership',
      entity: String(company),
      request: `GET /v2/kyb/${company}/ubo?threshold=25`,
      row_kind: 'last-25',
      body: { conclusive: true, owners: [{ ...named(ids[4]), type: 'person', share: 60 }] },
    },
    {
      ...at,
      stream: 'tender_details',
      entity: `lot-${company}`,
      body: {
        slug: `lot-${company}`,
        title: 'Bridge',
        contacts: { email: [ids[2], ids[4]].map((id, i) => ({ id: i, type: 'email', name: textsOf(id).email })) },
      },
    },
    {
      ...at,
      stream: 'watch_events',
      entity: String(company),
      body: {
        total_results: 1,
        pages: 1,
        data: [
          {
            event_type: 'officer.appointment',
            date_created: `${date}T01:00:00Z`,
            status: 'UPDATED',
            message: `<em>${textsOf(ids[3]).first} ${textsOf(ids[3]).last}</em> joined`,
          },
        ],
      },
    },
    {
      ...at,
      run: 'webhook',
      market: null,
      stream: 'watch_events',
      entity: String(company),
      request: 'WEBHOOK /delivery',
      body: {
        company_data,
        field: 'employee.email',
        status: 'UPDATE',
        old_value: null,
        new_value: textsOf(ids[2]).email,
      },
    },
    asked('enrichments', ids[1], record(ids[1])),
    asked('matches', ids[0], { id: company, name: 'A firm' }),
    // An answer that a proxy cut off.
    {
      ...at,
      stream: 'employees',
      entity: String(company),
      status: 0,
      body: `{"data":[{"name":"${textsOf(ids[3]).last}`,
    },
  ];
}

/** Lands two old nights with everybody, and a recent one with those who stay. A third old night is in quarantine. */
export async function landMany(dataDir: string, today: string): Promise<void> {
  for (const date of ['2026-01-01', '2026-01-02', ASIDE]) {
    await land(dataDir, marketNight({ run: `n${date}`, date, ids: [...COMPANIES, ...STAY] }));
    await land(
      dataDir,
      COMPANIES.flatMap((company) => answersAbout(company, date)),
    );
  }
  for (const part of readManifests(dataDir, { run: `n${ASIDE}` })) await quarantinePart(new Data(dataDir), part);
  await land(
    dataDir,
    STAY.flatMap((company) => answersAbout(company, today)),
  );
}

/** Writes other files that hold texts of people: logs, lists, job files, spools, and files of killed processes. */
export function plantMany(dataDir: string, ids: readonly string[]): void {
  const write = (name: string, text: string | Buffer): void => {
    mkdirSync(path.dirname(path.join(dataDir, name)), { recursive: true });
    appendFileSync(path.join(dataDir, name), text);
  };
  for (const id of ids.slice(0, 20)) {
    const { first, last, email, note } = textsOf(id);
    write('logs/worker.log', `${JSON.stringify({ msg: JSON.stringify({ note, email }) })}\nanother line\n`);
    write(`resolve/${id}.csv`, `name;contact\nA firm;${email}\n`);
    const question = { id: JSON.stringify({ email }) };
    write(`runs/n1/due/enrichments/chunk-${id.padStart(5, '0')}.json`, JSON.stringify([question]));
    write(`runs/n1/due/employee_details/chunk-${id.padStart(5, '0')}.json`, JSON.stringify([{ id }]));
    write(`env/${id}.duckdb`, email);
    write(`rebuilt/2026-01-01..2026-01-02/${id}.txt`, `${first} ${last}`);
    const row = {
      request_key: 'POST /x',
      entity_id: '1',
      row_kind: 'nojob:',
      status: 200,
      body: JSON.stringify({ last }),
    };
    write(`owner-jobs/ended/${id}.json`, JSON.stringify({ company: '1', state: 'ended', row }));
  }
  const [id = ''] = ids;
  const folder = 'landing/employee_details/date=2026-01-02/run=n2026-01-02';
  const { first, last, email } = textsOf(id);
  const row = {
    request_key: 'GET /x',
    entity_id: id,
    row_kind: 's',
    status: 200,
    fetched_at: '2026-01-02T08:00:00.000Z',
  };
  const spooled = spoolOf([{ ...row, body: JSON.stringify({ id, first_name: first, email }) }]).toString();
  write(`${folder}/_spool/part-employee_details-00009.spool`, `${spooled}{"torn": "${last}`);
  write(`${folder}/part-employee_details-00008.parquet`, `a part of ${email}`);
  write(`${folder}/part-employee_details-00007.parquet.tmp`, `a part of ${email}`);
  writeFileSync(path.join(dataDir, 'report.html'), `<p>${first}</p>`);
}

/** Files of `plantMany` that look as if a process wrote them, if they are not old. */
export const OLD_FILES = [
  '_spool/part-employee_details-00009.spool',
  'part-employee_details-00008.parquet',
  'part-employee_details-00007.parquet.tmp',
].map((name) => `landing/employee_details/date=2026-01-02/run=n2026-01-02/${name}`);
