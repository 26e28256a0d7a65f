import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FetchedStreamName } from '../../../schemas/streams/streams.js';
import type { RunContext } from '../../../schemas/pipeline/run.js';
import { createApiClient } from '../../../src/api/index.js';
import { createClock } from '../../../src/base/time/clock.js';
import { loadConfig } from '../../../src/config/config.js';
import { createLog } from '../../../src/config/log.js';
import { fetchChunk } from '../../../src/crawl/chunks/fetch-chunk.js';
import type { CrawlDeps, Heartbeat } from '../../../src/crawl/records/deps.js';
import { crawlListing } from '../../../src/crawl/chunks/crawl-listing.js';
import { openRun } from '../../../src/crawl/run/open-run.js';
import { discoverMarket } from '../../../src/crawl/search/discover.js';
import { readRunRows } from '../../../src/landing/index.js';
import { rebuildRange } from '../../../src/maintenance/rebuild-range.js';
import { queryPublished } from '../../../src/warehouse/builds/published.js';
import { hashTables } from '../../helpers/table-hashes.js';
import { makeProject, type Project } from '../../helpers/project.js';
import { ALONE } from '../../helpers/activity-inputs.js';
import { Data } from '../../../src/store/data.js';

const KEY = 'a-key-of-this-test';
const FIRST: Heartbeat = { report: () => undefined, signal: new AbortController().signal, attempt: 1 };

let server: Server;
let project: Project;
let deps: CrawlDeps;
let ctx: RunContext;
let asked: string[];
/** The text with which the API answers a path and a body. */
let answer: (where: string, body: { page?: number }) => string | undefined;

beforeEach(async () => {
  asked = [];
  answer = () => undefined;
  server = createServer((request, response) => {
    void (async () => {
      const said = await text(request);
      const [where = ''] = (request.url ?? '').split('?');
      if (where !== '/v2/metrics') asked.push(where);
      const body = answer(where, said === '' ? {} : (JSON.parse(said) as object)) ?? '[]';
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  project = makeProject({ api: { url, key: KEY }, temporal: 'none' });
  const config = loadConfig(project.env['TIDEMARK_CONFIG'] ?? '', project.env);
  const client = createApiClient({ baseUrl: url, apiKey: KEY, retryBaseMs: 1, retryCapMs: 2, requestsPerSecond: 1e6 });
  deps = { config, data: new Data(config.dataDir), client, clock: createClock({}), log: createLog('test') };
  ctx = openRun(config, deps.clock, { workflowType: 'marketSnapshot', workflowId: 'w', run: 'run-1', input: {} });
});

afterEach(async () => {
  await deps.client.close();
  server.closeAllConnections();
  server.close();
  project.remove();
});

async function fetchAll(stream: FetchedStreamName, bodies: Record<string, string>) {
  const folder = path.join(project.dataDir, 'runs', ctx.run, 'due', stream);
  mkdirSync(folder, { recursive: true });
  const entities = Object.keys(bodies).map((id) => ({ id, reason: 'new' }));
  writeFileSync(path.join(folder, 'chunk-00000.json'), JSON.stringify(entities));
  answer = (where) => bodies[where.split('/').at(-1) ?? ''] ?? Object.values(bodies)[0];
  return fetchChunk(deps, { ...ALONE, ctx, stream, chunk: 0, concurrency: 4 }, FIRST);
}

const landed = (stream: FetchedStreamName) =>
  new Map(
    readRunRows({ data: new Data(project.dataDir), stream, run: ctx.run, date: ctx.date }).map((row) => [
      row.entity_id,
      row,
    ]),
  );

describe('reports that JSON does not allow', () => {
  const LONG = `"2022":{"Currency":"${'x'.repeat(300)}"}`;
  const BODIES = {
    '1': '{"2023":{"EBITDA-Margin":NaN,"Turnover":1000000,"Currency":"EUR"},"2022":{"Turnover":900000}}',
    '2': '{"2023":{"Cash":-Infinity,"Turnover":2}}',
    '3': '{"2023":{"Cash":01,"Turnover":3}}',
    '4': '[]',
    '5': '{"data":[]}',
    '6': '{"2023":[],"2022":{"Turnover":6}}',
    '7': '{"2023":{"Turnover":7,}}',
    '8': '{"2023":{"Turnover":8}}{"2022":{}}',
    '9': '{"2023":{"Turnover":9}}',
    // Too long to be parsed while crawling: the load finds the fault.
    '91': `{"2023":{"Cash":,"Turnover":91},${LONG}}`,
    '92': `{"2023":{"Turnover":92},${LONG}}{"2022":{}}`,
    '93': `{'2023':{"Turnover":93},${LONG}}`,
    '94': `{"2023":{"Turnover":94},/* cached */${LONG}}`,
    '95': `{"2023":{"Turnover":95},${LONG}]}`,
    '96': `{"2023":{"Turnover":96,},${LONG}}`,
    '97': `{"2023":{"Turnover":97,"Currency":"E\u0001R"},${LONG}}`,
  };

  it('sends one request for each, rejects only what is wrong, and gives the same tables in a replay', async () => {
    expect(await fetchAll('financials', BODIES)).toMatchObject({ rows: 16, failed: 2 });
    expect(asked.toSorted()).toEqual(Object.keys(BODIES).map((id) => `/v2/financial/${id}`));
    const rows = landed('financials');
    for (const id of ['1', '2', '3', '4', '5', '6', '9', '91', '92', '93', '94', '95', '96', '97'] as const)
      expect(rows.get(id)).toMatchObject({ status: 200, body: BODIES[id] });

    const options = { now: new Date(), onStep: () => undefined };
    await rebuildRange(deps, null, options);
    const query = async (sql: string) => queryPublished(project.dataDir, sql);
    expect(
      await query(
        `SELECT company_id, fiscal_year, value_double FROM core.financials WHERE indicator = 'Turnover' ORDER BY ALL`,
      ),
    ).toEqual([
      [1, 2022, 900000],
      [1, 2023, 1000000],
      [2, 2023, 2],
      [3, 2023, 3],
      [6, 2022, 6],
      [9, 2023, 9],
      [96, 2023, 96],
    ]);
    expect(await query('SELECT entity_id, reason, path, raw FROM ops.rejects ORDER BY ALL')).toMatchObject([
      ['1', 'not_finite', '$."2023"."EBITDA-Margin"', 'NaN'],
      ['2', 'not_finite', '$."2023"."Cash"', '-Infinity'],
      ['3', 'not_json', '$."2023"."Cash"', '01'],
      ['7', 'http_error', '$', expect.stringContaining('malformed JSON: unexpected "}" at character 23')],
      ['8', 'http_error', '$', expect.stringContaining('malformed JSON: unexpected "{" at character 24')],
      ...['91', '92', '93', '94', '95', '97'].map((id) => [id, 'not_json', '$', expect.any(String)]),
    ]);
    const before = await hashTables(project.dataDir);
    await rebuildRange(deps, null, options);
    expect(await hashTables(project.dataDir)).toEqual(before);
  });
});

it('lands an answer without content as null', async () => {
  server.removeAllListeners('request');
  server.on('request', (_request, response) => response.writeHead(204).end());
  expect(await fetchAll('financials', { '1': '' })).toMatchObject({ rows: 1, failed: 0 });
  expect(landed('financials').get('1')).toMatchObject({ status: 204, body: 'null' });
});

it.each(['executives', 'employees', 'tender_details', 'watch_events', 'employee_details'] as const)(
  'files a malformed answer of %s as failed, with one request and without its text',
  async (stream) => {
    const body = '{"data":[],"list":[],"pages":1,"name":"Secret Person",}';
    expect(await fetchAll(stream, { '5': body })).toMatchObject({ failed: 1 });
    expect(asked).toHaveLength(1);
    expect(landed(stream).get('5')?.body).toMatch(/malformed JSON/);
    expect(landed(stream).get('5')?.body).not.toContain('Secret');
  },
);

describe('pages with a bad value', () => {
  it('finds all companies of a search page', async () => {
    const company = (id: number) => `{"id":${id},"name":${id === 3 ? 'NaN' : '"C"'},"rank":${id === 4 ? 'None' : 1}}`;
    const data = Array.from({ length: 5 }, (_, i) => company(i + 1)).join(',');
    answer = (where, { page }) =>
      where === '/v2/prospecting'
        ? `{"total_companies":5,"total_pages":1,"data":[${(page ?? 1) === 1 ? data : ''}]}`
        : undefined;
    const found = await discoverMarket(deps, { ctx, round: 0, budget: 500, concurrency: 4 }, FIRST);
    expect(found).toMatchObject({ done: true, distinctCompanies: 5, reportedTotal: 5 });
  });

  it('counts a tender with an unusable title', async () => {
    answer = (where) =>
      where === '/v1/finder/tenders'
        ? '{"total_results":3,"data":{"0":{"slug":"a","title":NaN},"1":{"slug":"b"},"3":{"slug":7}}}'
        : undefined;
    expect(await crawlListing(deps, { ctx, listing: 'tenders' }, FIRST)).toMatchObject({
      entities: 3,
      shortfall: null,
    });
  });

  it('reads on after a malformed page of a listing, without a second request for it', async () => {
    const tenders = (from: number) => Array.from({ length: 100 }, (_, i) => `{"slug":"t${from + i}"}`).join(',');
    answer = (where, { page = 1 }) => {
      if (where !== '/v1/finder/tenders') return undefined;
      return `{"total_results":300,"data":[${tenders(100 * page)}${page === 2 ? ',' : ''}]}`;
    };
    expect(await crawlListing(deps, { ctx, listing: 'tenders' }, FIRST)).toMatchObject({
      entities: 200,
      shortfall: expect.stringMatching(/page 2 of the tenders: 100 of 300 are missing/),
    });
    expect(asked).toHaveLength(3);
  });
});
