import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { LiveAnswer } from '../../schemas/explorer/api.js';
import { loadLanding } from '../../src/warehouse/load/load.js';
import { buildModels } from '../../src/warehouse/models/run-models.js';
import { currentBuild } from '../../src/warehouse/builds/builds.js';
import { openWarehouse } from '../../src/warehouse/duckdb/open.js';
import { publish } from '../../src/warehouse/publish/publish.js';
import { startExplorer, type Explorer, type ExplorerOptions } from '../../src/serve/explorer/explorer.js';
import { land, marketNight, type Answer } from './warehouse.js';
import { Data } from '../../src/store/data.js';

/** Lands answers, builds the models, and publishes. Each call adds to the same data folder. */
export async function publishAnswers(
  dataDir: string,
  answers: Answer[],
  run: string,
  now: string,
  modelsDir?: string,
): Promise<string> {
  await land(dataDir, answers);
  const warehouse = await openWarehouse(new Data(dataDir));
  try {
    await loadLanding(warehouse, new Data(dataDir));
    await buildModels(warehouse, { modelsDir, now: new Date(now) });
    await publish(warehouse, dataDir, { run, now: new Date(now) });
    return currentBuild(dataDir) ?? '';
  } finally {
    await warehouse.close();
  }
}

/** A company's record, as the API sends it. */
export function companyBody(id: number, name: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { id, name, status: 'Active', country_code: 'SE', ...more };
}

/**
 * Two nights of a market: company 2 leaves and becomes inactive, company 5 enters, and company 1 restates its turnover.
 * @param name makes the names of the companies
 */
export function twoNights(name: (id: number) => string): Answer[] {
  const first = { run: 'r1', date: '2026-11-20', market: 'm' };
  const second = { run: 'r2', date: '2026-11-21', market: 'm' };
  const names = { 1: name(1), 2: name(2), 3: name(3), 4: name(4), 5: name(5) };
  return [
    ...marketNight({ run: 'r1', date: '2026-11-20', ids: [1, 2, 3, 4] }),
    ...[1, 2, 3, 4].map((id) => ({
      ...first,
      stream: 'companies' as const,
      entity: String(id),
      at: '2026-11-20T02:20:00Z',
      body: companyBody(id, names[id as 1], { registration_number: `55600${id}`, company_website: `w${id}.example` }),
    })),
    {
      ...first,
      stream: 'financials',
      entity: '1',
      at: '2026-11-20T02:30:00Z',
      body: {
        2023: { Turnover: 90, Currency: 'EUR' },
        2024: { Turnover: 100, 'Employee-Numbers': 12, Currency: 'EUR' },
      },
    },
    ...marketNight({ run: 'r2', date: '2026-11-21', ids: [1, 3, 4, 5] }),
    {
      ...second,
      stream: 'companies',
      entity: '2',
      at: '2026-11-21T02:15:00Z',
      body: companyBody(2, names[2], { registration_number: '556002', status: 'Inactive' }),
    },
    {
      ...second,
      stream: 'companies',
      entity: '5',
      at: '2026-11-21T02:15:00Z',
      body: companyBody(5, names[5], { company_website: 'javascript:alert(1)' }),
    },
    {
      ...second,
      stream: 'financials',
      entity: '1',
      at: '2026-11-21T02:30:00Z',
      body: {
        2023: { Turnover: 90, Currency: 'EUR' },
        2024: { Turnover: 120, 'Employee-Numbers': 12, Currency: 'EUR' },
      },
    },
  ];
}

/**
 * Tenders that were read on 2026-11-21: "t-road" closes in December, "t/école?" has no deadline, and "t-old" is closed.
 * @param name makes titles and names of donors
 */
export function someTenders(name: (id: number) => string): Answer[] {
  const place = { run: 'r3', date: '2026-11-21', market: null };
  const tenders = [
    {
      slug: 't-road',
      title: name(11),
      status: 'Accepting bids',
      announced_date: '2026-11-02',
      deadline_date: '2026-12-09',
      countries: ['Sweden', 'Norway'],
    },
    { slug: 't/école?', title: name(12), status: 'Forecast', announced_date: '2026-11-03', countries: ['Norway'] },
    { slug: 't-old', title: name(13), status: 'Closed', announced_date: '2026-06-01', deadline_date: '2026-08-01' },
  ];
  return [
    { ...place, stream: 'tenders', at: '2026-11-21T03:00:00Z', body: { data: tenders } },
    {
      ...place,
      stream: 'tender_details',
      entity: 't-road',
      at: '2026-11-21T03:05:00Z',
      body: {
        ...tenders[0],
        announced_date: '2026-11-02T00:00:00',
        deadline_date: '2026-12-09T17:00:00',
        type: 'Tender',
        description: `<p>Résurfacing of a <b>road</b> ${name(14)}</p>`,
        industries: ['Transport', 'Roads'],
        donors: [{ id: 3, name: name(15) }],
        attachments: ['https://files.example/plan.pdf', 'javascript:alert(2)'],
        contacts: { mobile: [], name: [], email: [{ type: 'email', name: 'bids@tenders.example', id: 5 }] },
        logo: null,
      },
    },
  ];
}

/** The searches of the second night: 10 of 16 companies are found; nested segments miss the same six. */
function segments(): Answer[] {
  const rows = [
    { segment: 'root', parent: null, total: 16, found: 10, state: 'remainder' },
    { segment: 'root/a', parent: 'root', total: 4, found: 4, state: 'leaf' },
    { segment: 'root/b', parent: 'root', total: 11, found: 5, state: 'remainder' },
    { segment: 'root/b/c', parent: 'root/b', total: 3, found: 3, state: 'leaf' },
  ];
  return rows.map(({ segment, parent, total, found, state }) => ({
    run: 'r2',
    date: '2026-11-21',
    market: 'm',
    stream: 'segments',
    entity: segment,
    body: {
      segment,
      parent,
      filters: {},
      total_reported: total,
      rows_fetched: found,
      distinct_companies: found,
      pages: 1,
      depth: segment.split('/').length - 1,
      state,
      split_by: null,
    },
  }));
}

/** Publishes `twoNights` and `someTenders` in a new data folder. Returns the folder. */
export async function publishTwoNights(name: (id: number) => string): Promise<string> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-explored-'));
  await publishAnswers(
    dataDir,
    [...twoNights(name), ...someTenders(name), ...segments()],
    'r2',
    '2026-11-21T04:00:00Z',
  );
  return dataDir;
}

/** What the explorer shows without a Temporal server. */
const NOT_RUNNING: LiveAnswer = {
  reachable: false,
  address: '127.0.0.1:1',
  ui: null,
  namespace: 'default',
  error: 'No Temporal server answers.',
  running: [],
  waiting: [],
  next: [],
  warnings: [],
};

/** An explorer with a client that is signed in. */
export interface TestExplorer extends Explorer {
  url: string;
  savedQueries: string;
  /** Sends a request with the cookie. */
  ask(path: string, init?: RequestInit): Promise<Response>;
  json<T>(path: string, init?: RequestInit): Promise<T>;
  post<T>(path: string, body: unknown): Promise<T>;
  stop(): Promise<void>;
}

/** Starts an explorer of a data folder. Without `assets`, its page is a small file. */
export async function startTestExplorer(
  dataDir: string,
  options: Partial<ExplorerOptions> = {},
): Promise<TestExplorer> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-explorer-'));
  writeFileSync(path.join(folder, 'index.html'), '<!doctype html><meta name="style-nonce" content="__NONCE__">');
  const savedQueries = path.join(folder, 'queries');
  const explorer = await startExplorer({
    dataDir,
    assets: folder,
    port: 0,
    savedQueries,
    version: '0.0.0',
    temporalUi: () => null,
    readLive: async () => NOT_RUNNING,
    askFates: async () => new Map(),
    ...options,
  });
  const url = `http://127.0.0.1:${explorer.port}`;
  const signIn = await fetch(explorer.address, { redirect: 'manual' });
  const cookie = signIn.headers.get('set-cookie')?.split(';')[0] ?? '';
  const ask = async (at: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`${url}${at}`, { ...init, headers: { cookie, ...(init.headers as Record<string, string> | undefined) } });
  const json = async <T>(at: string, init?: RequestInit): Promise<T> => (await (await ask(at, init)).json()) as T;
  return {
    ...explorer,
    url,
    savedQueries,
    ask,
    json,
    post: async <T>(at: string, body: unknown) =>
      json<T>(at, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    async stop() {
      await explorer.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
