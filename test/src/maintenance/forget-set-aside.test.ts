import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { rejectsFile } from '../../../src/store/data-folder.js';
import { readManifests, readPartRows, spoolsDir, type NewRow } from '../../../src/landing/index.js';
import { listQuarantine, quarantinePart } from '../../../src/landing/quarantine.js';
import { forget, type Forgot } from '../../../src/maintenance/forget/forget.js';
import { returnParts } from '../../../src/maintenance/return-parts.js';
import { openData } from '../../../src/store/working-copy.js';
import { becomeWriter } from '../../../src/warehouse/duckdb/writer.js';
import { findTexts } from '../../helpers/find-texts.js';
import { spoolOf } from '../../helpers/spool.js';
import { land, temporaryDataDir, type Answer } from '../../helpers/warehouse.js';
import { textsOf } from './forget/plant-many.js';
import { Data, type SharedData } from '../../../src/store/data.js';

/* People whom only files name that no load reads: parts in quarantine, spools, jobs, rejects, and unreadable answers. */

const NOW = new Date('2026-11-25T02:00:00Z');
const COMPANY = '1000100';
const [GONE, STAYS, OTHER] = ['7001001', '7001002', '7001003'] as const;
const person = { kind: 'person', id: GONE } as const;
const company = { kind: 'company', id: COMPANY } as const;

const textsOfAll = (...ids: string[]): string[] => ids.flatMap((id) => Object.values(textsOf(id)).slice(0, 4));
const bodyOf = (id: string): object => {
  const { first, last, email, phone } = textsOf(id);
  return { id: Number(id), first_name: first, last_name: last, email, phone };
};
const details = (id: string): Answer => ({ stream: 'employee_details', entity: id, body: bodyOf(id) });
const listing = (...ids: string[]): Answer => ({
  stream: 'employees',
  entity: COMPANY,
  body: { total_pages: 1, data: ids.map((id) => ({ id, name: `${textsOf(id).first} ${textsOf(id).last}` })) },
});
const run = (dataDir: string, ...subjects: (typeof person | typeof company)[]): Promise<Forgot> =>
  forget(new Data(dataDir), { subjects, now: NOW, personalData: true });
const log = (dataDir: string, text: string): void => {
  mkdirSync(path.join(dataDir, 'logs'), { recursive: true });
  writeFileSync(path.join(dataDir, 'logs', 'worker.log'), `one line\nan error about ${text}\n`);
};
const folderOf = (dataDir: string, stream: string, name = 'r1'): string =>
  path.join(dataDir, 'landing', stream, 'date=2026-11-20', `run=${name}`);
const rowOf = ({ entity, body, request = `GET /${entity}` }: Answer): NewRow => ({
  request_key: request,
  entity_id: entity ?? null,
  row_kind: 's',
  status: 200,
  fetched_at: '2026-11-20T02:00:00.000Z',
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

/** Lands answers as parts of their own, then moves the parts into quarantine. */
async function quarantine(dataDir: string, answers: Answer[], damage: (file: string) => void = () => undefined) {
  await land(
    dataDir,
    answers.map((answer) => ({ ...answer, run: 'aside' })),
  );
  const parts = readManifests(dataDir, { run: 'aside' });
  for (const part of parts) {
    damage(part.file);
    await quarantinePart(new Data(dataDir), part);
  }
  return parts.map(({ file, part }) => path.join(path.dirname(file), '_quarantine', part));
}

/** Writes a spool that an ended run left. */
function spool(dataDir: string, stream: string, content: string | Buffer, runName = 'r1', chunk = 'x'): void {
  const folder = spoolsDir(folderOf(dataDir, stream, runName));
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `part-${chunk}.spool`);
  writeFileSync(file, content);
  const longAgo = new Date(Date.now() - 3_600_000);
  utimesSync(file, longAgo, longAgo);
}

it('forgets a person whom only a part in quarantine names, and keeps its other answers there', async () => {
  const dataDir = temporaryDataDir();
  await land(dataDir, [details(OTHER)]);
  await quarantine(dataDir, [details(GONE), details(STAYS)]);
  log(dataDir, textsOf(GONE).email);
  const { proof } = await run(dataDir, person);
  expect(proof).toMatchObject({ proven: true, remaining: [], unread: [] });
  expect(await findTexts(dataDir, textsOfAll(GONE))).toEqual([]);
  expect(readFileSync(path.join(dataDir, 'logs/worker.log'), 'utf8')).toBe('one line\n');
  expect(await returnParts(new Data(dataDir))).toHaveLength(1);
  const back = readManifests(dataDir, { run: 'aside' }).flatMap(readPartRows);
  expect(back.map(({ entity_id }) => entity_id)).toEqual(['forgotten', STAYS]);
  expect(await listQuarantine(new Data(dataDir))).toEqual([]);
});

it('forgets the people whom only a list in quarantine links to the company', async () => {
  const dataDir = temporaryDataDir();
  await land(dataDir, [details(GONE), details(STAYS)]);
  await quarantine(dataDir, [listing(GONE)]);
  const { proof } = await run(dataDir, company);
  expect(proof).toMatchObject({ proven: true });
  expect(await findTexts(dataDir, textsOfAll(GONE))).toEqual([]);
  expect((await findTexts(dataDir, textsOfAll(STAYS))).length).toBeGreaterThan(3);
});

it('does not let a returned part bring a forgotten person back', async () => {
  const dataDir = temporaryDataDir();
  await quarantine(dataDir, [details(GONE), details(STAYS)]);
  const [kept] = await listQuarantine(new Data(dataDir));
  const backup = readFileSync(kept!.kept!);
  truncateSync(kept!.kept!, 90);
  await land(dataDir, [{ ...details(GONE), run: 'later' }]);
  expect((await run(dataDir, person)).proof).toMatchObject({ proven: false });
  // Somebody restores the file from a backup that was made before.
  writeFileSync(kept!.file, backup);
  expect(await returnParts(new Data(dataDir))).toHaveLength(1);
  const rows = readManifests(dataDir, { run: 'aside' }).flatMap(readPartRows);
  expect(rows.map(({ entity_id }) => entity_id)).toEqual(['forgotten', STAYS]);
  expect(existsSync(kept!.file)).toBe(false);
  expect(readdirSync(path.dirname(kept!.kept!))).toEqual([]);
  // As the output advises.
  expect((await run(dataDir)).proof).toMatchObject({ proven: true });
});

const DAMAGES: [string, (file: string) => void][] = [
  ['is cut off', (file) => truncateSync(file, 200)],
  ['has a flipped byte', (file) => flip(file, 60)],
  ['DuckDB reads, but differs from its manifest', (file) => appendFooter(file)],
];

it.each(DAMAGES)('proves nothing while a part in quarantine %s', async (_, damage) => {
  const dataDir = temporaryDataDir();
  await land(dataDir, [details(STAYS)]);
  const [file] = await quarantine(dataDir, [details(GONE)], damage);
  const name = path.relative(dataDir, file!);
  const done = await run(dataDir, person);
  expect(done.proof).toMatchObject({ proven: false, unread: [expect.stringContaining(name)] });
  expect((await run(dataDir)).proof).toMatchObject({ proven: false });
  // As the output advises.
  rmSync(file!);
  const { proof } = await run(dataDir);
  expect(proof === null || proof.proven).toBe(true);
  expect(await findTexts(dataDir, textsOfAll(GONE))).toEqual([]);
});

it('searches all files for what a damaged part in quarantine still names', async () => {
  const dataDir = temporaryDataDir();
  await quarantine(dataDir, [details(GONE)], appendFooter);
  log(dataDir, textsOf(GONE).email);
  expect((await run(dataDir, person)).proof).toMatchObject({ proven: false });
  expect(readFileSync(path.join(dataDir, 'logs/worker.log'), 'utf8')).toBe('one line\n');
});

it('looks at other streams in quarantine only while it searches', async () => {
  const dataDir = temporaryDataDir();
  await land(dataDir, [details(STAYS)]);
  await quarantine(dataDir, [{ stream: 'companies', entity: COMPANY, body: { id: COMPANY } }], (file) =>
    truncateSync(file, 90),
  );
  expect(await run(dataDir, person)).toMatchObject({ proof: null });
});

it('removes rejects of parts that are no longer landed', async () => {
  const dataDir = temporaryDataDir();
  await land(dataDir, [details(STAYS)]);
  const [part] = readManifests(dataDir);
  const [stale, kept] = ['part-gone.parquet', part!.part].map((name) =>
    rejectsFile({ data: new Data(dataDir), stream: 'employee_details', date: '2026-11-20', run: 'r1' }, name),
  );
  mkdirSync(path.dirname(stale!), { recursive: true });
  for (const file of [stale!, kept!])
    writeFileSync(file, JSON.stringify({ raw: bodyOf(file === stale ? GONE : STAYS) }));
  expect(await run(dataDir, person)).toMatchObject({ proof: null });
  expect(await findTexts(dataDir, textsOfAll(GONE))).toEqual([]);
  expect(existsSync(kept!)).toBe(true);
});

it('forgets a person whom only a spool of an ended run names', async () => {
  const dataDir = temporaryDataDir();
  const { email, last } = textsOf(GONE);
  spool(dataDir, 'employee_details', spoolOf([rowOf(details(GONE)), rowOf(details(STAYS))]));
  spool(dataDir, 'executives', `{"torn": "${last}`);
  log(dataDir, email);
  expect((await run(dataDir, person)).proof).toMatchObject({ proven: true });
  expect(await findTexts(dataDir, textsOfAll(GONE))).toEqual([]);
  expect((await findTexts(dataDir, textsOfAll(STAYS))).length).toBe(4);
});

it('searches all files for what deliveries name that no receiver has landed', async () => {
  const dataDir = temporaryDataDir();
  const { email } = textsOf(GONE);
  const body = { company_data: { id: Number(COMPANY), name: 'A firm' }, field: 'employee.email', new_value: email };
  const row = rowOf({ stream: 'watch_events', entity: COMPANY, request: 'WEBHOOK /delivery', body });
  spool(dataDir, 'watch_events', spoolOf([row]), 'webhook', `r${'0'.repeat(16)}-000001-20261120`);
  log(dataDir, email);
  expect((await run(dataDir, company)).proof).toMatchObject({ proven: true });
  expect(await findTexts(dataDir, [email])).toEqual([]);
  expect(readManifests(dataDir)).toHaveLength(1);
});

it('forgets owners whom only the kept answer of a job names', async () => {
  const dataDir = temporaryDataDir();
  await land(dataDir, [details(GONE), details(STAYS)]);
  const { first, last } = textsOf(GONE);
  const row = rowOf({
    stream: 'ownership_jobs',
    entity: COMPANY,
    body: { owners: [{ id: GONE, name: `${first} ${last}` }] },
  });
  mkdirSync(path.join(dataDir, 'owner-jobs/open'), { recursive: true });
  writeFileSync(
    path.join(dataDir, `owner-jobs/open/${COMPANY}.json`),
    JSON.stringify({ company: COMPANY, state: 'started', row }),
  );
  expect((await run(dataDir, company)).proof).toMatchObject({ proven: true });
  expect(await findTexts(dataDir, textsOfAll(GONE))).toEqual([]);
});

it('empties the kept answer of a job that names a forgotten person without an id', async () => {
  const dataDir = temporaryDataDir();
  await land(dataDir, [details(GONE)]);
  const row = rowOf({ stream: 'ownership_jobs', entity: '9', body: { name: textsOf(GONE).last } });
  mkdirSync(path.join(dataDir, 'owner-jobs/ended'), { recursive: true });
  writeFileSync(path.join(dataDir, 'owner-jobs/ended/9.json'), JSON.stringify({ company: '9', state: 'ended', row }));
  expect((await run(dataDir, person)).proof).toMatchObject({ proven: true, remaining: [] });
  expect(await findTexts(dataDir, textsOfAll(GONE))).toEqual([]);
  expect(JSON.parse(readFileSync(path.join(dataDir, 'owner-jobs/ended/9.json'), 'utf8'))).toMatchObject({
    row: { body: '{}' },
  });
});

/** Answers that cannot be read, and the subject that they name. */
const whole = JSON.stringify(listing(GONE, STAYS).body);
const UNREADABLE: [string, Answer, typeof person | typeof company][] = [
  ['a list that is cut off', { ...listing(), body: whole.slice(0, -20) }, person],
  [
    'a list that is nested too deep',
    { ...listing(), body: `${whole.slice(0, -1)},"x":${'['.repeat(20_000)}${']'.repeat(20_000)}}` },
    person,
  ],
  ['a record that is no JSON', { ...details(GONE), body: JSON.stringify(bodyOf(GONE)).slice(0, -3) }, person],
  [
    'a list with a repeated key',
    { ...listing(), body: `${JSON.stringify(listing(GONE).body).slice(0, -1)},"data":[]}` },
    person,
  ],
  ['a cut list of the company', { ...listing(), body: whole.slice(0, -20) }, company],
  [
    'a cut record that names the company',
    {
      stream: 'enrichments',
      entity: '{"domain":"x.example"}',
      body: `{"company_id":${COMPANY},"last_name":"${textsOf(GONE).last}",`,
    },
    company,
  ],
];

it.each(UNREADABLE)('forgets a person whom only %s names', async (_, answer, subject) => {
  const dataDir = temporaryDataDir();
  await land(dataDir, [
    { ...answer, status: 0 },
    { ...answer, entity: '9', body: 'a 502 page', status: 0 },
  ]);
  spool(dataDir, answer.stream, spoolOf([rowOf(answer)]));
  log(dataDir, `${textsOf(GONE).first} ${textsOf(GONE).last}`);
  const { proof } = await run(dataDir, subject);
  expect(proof).toMatchObject({ proven: true });
  expect(await findTexts(dataDir, textsOfAll(GONE))).toEqual([]);
  const rows = readManifests(dataDir).flatMap(readPartRows);
  expect(rows.map(({ body }) => body)).toContain('a 502 page');
});

it('forgets the people of a company whom only a cut list links to it', async () => {
  const dataDir = temporaryDataDir();
  await land(dataDir, [details(GONE), details(STAYS)]);
  await land(dataDir, [{ ...listing(), status: 0, body: JSON.stringify(listing(GONE, OTHER).body).slice(0, -20) }]);
  expect((await run(dataDir, company)).proof).toMatchObject({ proven: true });
  expect(await findTexts(dataDir, textsOfAll(GONE))).toEqual([]);
  expect((await findTexts(dataDir, textsOfAll(STAYS))).length).toBeGreaterThan(3);
});

it('refuses to start while a landed part about people is damaged', async () => {
  const dataDir = temporaryDataDir();
  await land(dataDir, [details(GONE)]);
  appendFooter(readManifests(dataDir)[0]!.file);
  await expect(run(dataDir, person)).rejects.toMatchObject({
    type: 'LandingCorrupt',
    todo: expect.stringContaining('`tidemark quarantine`'),
  });
});

it('forgets people in quarantine and in jobs with the data in a bucket', async () => {
  const root = temporaryDataDir();
  const bucket = path.join(root, 'bucket');
  await land(bucket, [details(OTHER)]);
  await quarantine(bucket, [details(GONE), details(STAYS)]);
  const dataDir = path.join(root, 'here');
  const copy = (await openData({ bucket, storage: {}, dataDir })) as SharedData;
  const { lease } = await becomeWriter(copy, { what: 'a test' });
  expect((await forget(copy, { subjects: [person], now: NOW, personalData: true })).proof).toMatchObject({
    proven: true,
  });
  await lease.release();
  for (const folder of [bucket, dataDir]) expect(await findTexts(folder, textsOfAll(GONE))).toEqual([]);
  expect(await returnParts(copy)).toHaveLength(1);
  const rows = readManifests(bucket, { run: 'aside' }).flatMap(readPartRows);
  expect(rows.map(({ entity_id }) => entity_id)).toEqual(['forgotten', STAYS]);
});

function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at]! ^= 0xff;
  writeFileSync(file, bytes);
}

/** Adds bytes before the footer: the file can be read, but has another hash and length. */
function appendFooter(file: string): void {
  const bytes = readFileSync(file);
  const footer = bytes.readUInt32LE(bytes.length - 8) + 8;
  writeFileSync(file, bytes.subarray(0, bytes.length - footer));
  appendFileSync(file, Buffer.concat([Buffer.from('more'), bytes.subarray(bytes.length - footer)]));
}
