import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { ApiError, createApiClient, type ApiClient } from '../../../src/api/index.js';
import { rowOf, rowOfError } from '../../../src/crawl/records/answer.js';
import { landRows, textOf, type NewRow } from '../../../src/landing/index.js';
import { buildModels } from '../../../src/warehouse/models/run-models.js';
import { loadLanding } from '../../../src/warehouse/load/load.js';
import { openWarehouse, type Warehouse } from '../../../src/warehouse/duckdb/open.js';
import { damage, mutate, mutation } from './mutate.js';
import { canonical, cells, COMPANY_COLUMNS, judge, type LandedCase } from './oracle.js';
import { STREAMS, type FuzzedStream } from './streams.js';
import { Data } from '../../../src/store/data.js';

const LANES = 32;
const PART_ROWS = 2_500;
const RUN = { run: 'fuzz', date: '2026-11-20', market: 'm' };
const KEY = 'a-key-of-the-fuzzer';

export interface FuzzReport {
  bodies: number;
  /** Answers that the client accepted. */
  taken: number;
  /** Answers that the client rejected, by error name. */
  refused: Record<string, number>;
  rows: number;
  rejects: number;
  /** Everything that is wrong; empty if all is well. */
  faults: string[];
}

interface Case {
  n: number;
  stream: FuzzedStream;
  status: number;
  bytes: Buffer;
}

/** Mutations, status and damage of one body; `n` determines the rest. */
const recipe = fc.record({
  stream: fc.constantFrom(...STREAMS),
  status: fc.oneof(
    { weight: 12, arbitrary: fc.constant(200) },
    { weight: 1, arbitrary: fc.constantFrom(201, 206, 400, 403, 404, 410, 418, 500, 503) },
  ),
  mutations: fc.array(mutation, { maxLength: 4 }),
  damaged: damage,
  noise: fc.oneof(
    { weight: 30, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 64 }) },
  ),
});

/**
 * Sends `runs` mutated bodies through the client, the landing zone and one load into `dataDir`. Compares the result of
 * each with an oracle's reading of the body.
 */
export async function fuzzBodies(
  dataDir: string,
  { runs, seed, onProgress = () => undefined }: { runs: number; seed: number; onProgress?: (step: string) => void },
): Promise<FuzzReport> {
  const report: FuzzReport = { bodies: runs, taken: 0, refused: {}, rows: 0, rejects: 0, faults: [] };
  const cases = fc
    .sample(recipe, { seed, numRuns: runs })
    .map(({ stream, status, mutations, damaged, noise }, n): Case => ({
      n,
      stream,
      status,
      bytes: noise === null ? mutate(stream.body(n), mutations, damaged) : Buffer.from(noise),
    }));
  onProgress(`${runs} bodies made`);
  const landed = await askAll(cases, report);
  onProgress('asked');
  for (const { stream } of STREAMS) {
    const rows = landed.filter((each) => each.stream === stream).map(({ row }) => row);
    for (let at = 0; at < rows.length; at += PART_ROWS)
      await landRows({ data: new Data(dataDir), stream, ...RUN, chunk: `c${at}` }, rows.slice(at, at + PART_ROWS));
  }
  onProgress('landed');
  const warehouse = await openWarehouse(new Data(dataDir));
  try {
    const { rejects, driftFault } = await loadLanding(warehouse, new Data(dataDir));
    if (driftFault !== undefined) throw new Error(`drift could not be looked for: ${driftFault}`);
    onProgress('loaded');
    await buildModels(warehouse, { personalData: true });
    onProgress('modelled');
    report.rejects = rejects;
    await compare(warehouse, landed, report);
  } finally {
    await warehouse.close();
  }
  return report;
}

interface Landed {
  stream: FuzzedStream['stream'];
  row: NewRow;
}

async function askAll(cases: readonly Case[], report: FuzzReport): Promise<Landed[]> {
  const byStream = new Map(STREAMS.map((stream) => [stream, cases.filter((each) => each.stream === stream)]));
  let alone: Case | undefined;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = new URL(request.url ?? '/', 'http://fuzz');
      const numbers = STREAMS.map(
        (stream) => stream.numberIn?.(url, Buffer.concat(chunks).toString('utf8')) ?? Number.NaN,
      );
      const answer = cases[numbers.find((n) => !Number.isNaN(n)) ?? alone?.n ?? -1];
      response.writeHead(answer?.status ?? 599);
      response.end(answer?.bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = createApiClient({ baseUrl, apiKey: KEY, maxRetries: 0, maxConcurrency: LANES });
  const landed: Landed[] = [];
  try {
    for (const [stream, queue] of byStream) {
      const open = [...queue].toReversed();
      const lane = async (): Promise<void> => {
        for (let next = open.pop(); next !== undefined; next = open.pop()) {
          if (stream.numberIn === undefined) alone = next;
          const row = await ask(client, next, report);
          if (row !== null) landed.push({ stream: stream.stream, row });
        }
      };
      await Promise.all(Array.from({ length: stream.numberIn === undefined ? 1 : LANES }, lane));
    }
  } finally {
    await client.close();
    server.closeAllConnections();
    server.close();
  }
  return landed;
}

/** Requests one case; returns what a crawl would land, or null where a crawl fails by name. */
async function ask(client: ApiClient, { n, stream, bytes }: Case, report: FuzzReport): Promise<NewRow | null> {
  const entity = stream.entity(n);
  try {
    const response = await stream.ask(client, n);
    report.taken++;
    return rowOf(response, entity, 'record');
  } catch (error) {
    const name = (error as Error).name;
    report.refused[name] = (report.refused[name] ?? 0) + 1;
    if (!(error instanceof ApiError))
      report.faults.push(`${stream.stream} ${n}: no ApiError but ${String(error)} for ${bytes.toString('base64')}`);
    // Listings are not landed as errors: the run reports that they could not be read.
    return error instanceof ApiError && entity !== null && stream.numberIn !== undefined
      ? rowOfError(error, entity, 'failed')
      : null;
  }
}

/** Compares rows and rejects with the expected ones. */
async function compare({ db }: Warehouse, landed: readonly Landed[], report: FuzzReport): Promise<void> {
  const rejects = await db.rows<{ k: string; reason: string; path: string }>(
    `SELECT concat_ws(' ', stream, coalesce(entity_id, '')) AS k, reason, path FROM ops.rejects`,
  );
  const rejected = new Map<string, Set<string>>();
  for (const { k, reason, path } of rejects) {
    if (!reason || !path) report.faults.push(`${k}: a reject without reason or path`);
    (rejected.get(k) ?? rejected.set(k, new Set()).get(k))?.add(path);
  }
  const expected = new Map<string, LandedCase>();
  const allowed = new Set<string>();
  for (const { stream, row } of landed) {
    const answer: LandedCase = { stream, entity: row.entity_id, status: row.status, body: textOf(row) };
    const verdict = judge(answer);
    // Nomenclatures answer many times for three entities, so the body shows whose row it is.
    const of = stream === 'nomenclatures' ? ` ${createHash('sha256').update(textOf(row)).digest('hex')}` : '';
    for (const text of verdict.rows) expected.set(text + of, answer);
    for (const text of verdict.maybe ?? []) allowed.add(text + of);
    const paths = rejected.get(`${stream} ${row.entity_id ?? row.request_key}`);
    for (const path of verdict.rejects)
      if (!paths?.has(path))
        report.faults.push(`no reject ${path} of ${describe(answer)}, only ${[...(paths ?? [])].join(' ')}`);
  }
  const found = new Set(await foundRows(db));
  report.rows = found.size;
  for (const [text, answer] of expected)
    if (!found.has(text)) report.faults.push(`missing: ${text} of ${describe(answer)}`);
  for (const text of found) if (!expected.has(text) && !allowed.has(text)) report.faults.push(`wrong: ${text}`);
}

function describe({ stream, entity, status, body }: LandedCase): string {
  return `${stream} ${entity ?? 'page'} (${status}) ${JSON.stringify(body.slice(0, 600))}`;
}

async function foundRows(db: Warehouse['db']): Promise<string[]> {
  const rows = async (sql: string): Promise<Record<string, string | null>[]> => db.rows(sql);
  const texts = async (sql: string): Promise<string[]> => (await rows(sql)).map((row) => String(Object.values(row)[0]));
  const companies = await rows(
    `SELECT company_id, ${COMPANY_COLUMNS.join(', ')} FROM core.companies WHERE has_details ORDER BY company_id`,
  );
  const values =
    await rows(`SELECT company_id, coalesce(CAST(report_date AS VARCHAR), CAST(fiscal_year AS VARCHAR)) AS told_of,
    indicator, value_double, value_text FROM core.financials_history`);
  const details = await rows(`SELECT slug, title, status, type, description_html, announced_date, deadline_date
    FROM ledger.tender_records WHERE source = 'details'`);
  const lists = await rows('SELECT list, id, body_hash FROM ledger.nomenclature_items');
  return [
    ...companies.map(({ company_id: id, ...row }) => `company ${id} ${cells(Object.values(row))}`),
    ...values.map((v) => {
      const number = v['value_double'] === null ? null : Number(v['value_double']);
      return `value ${v['company_id']} ${v['told_of']} ${cells([v['indicator'], number, v['value_text']])}`;
    }),
    ...details.map(({ slug, ...row }) => `details ${slug} ${cells(Object.values(row))}`),
    ...lists.map((l) => `listed ${JSON.stringify([l['list'], l['id']])} ${l['body_hash']}`),
    ...(await texts(`SELECT DISTINCT 'sighted ' || company_id FROM ledger.market_sightings`)),
    ...(await texts('SELECT DISTINCT slug FROM ledger.tender_sightings')).map((slug) => `tender ${canonical(slug)}`),
    ...(await texts(`SELECT DISTINCT 'watched ' || company_id FROM ledger.watched_companies`)),
    ...(await rows('SELECT DISTINCT company_id, field FROM core.watch_events')).map(
      (event) => `event ${event['company_id']} ${canonical(String(event['field']))}`,
    ),
  ];
}
