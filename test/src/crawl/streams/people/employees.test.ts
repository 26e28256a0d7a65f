import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createApiClient } from '../../../../../src/api/index.js';
import { createClock } from '../../../../../src/base/time/clock.js';
import { loadConfig } from '../../../../../src/config/config.js';
import { createLog } from '../../../../../src/config/log.js';
import { fetchChunk } from '../../../../../src/crawl/chunks/fetch-chunk.js';
import type { CrawlDeps, Heartbeat } from '../../../../../src/crawl/records/deps.js';
import { openRun } from '../../../../../src/crawl/run/open-run.js';
import { readRunRows } from '../../../../../src/landing/index.js';
import { bookAttempt } from '../../../../../src/landing/request-log.js';
import { makeProject, type Project } from '../../../../helpers/project.js';
import { ALONE } from '../../../../helpers/activity-inputs.js';
import { Data } from '../../../../../src/store/data.js';

interface Asked {
  page: number;
  filters: { company_id: unknown; seniority?: number[]; department?: number[] };
}
type Answer = [status: number, body: unknown];

const FIRST: Heartbeat = { report: () => undefined, signal: new AbortController().signal, attempt: 1 };
const DENIED: Answer = [403, { error_name: 'ProductPermissionDenied', error_code: 403, message: 'No.', data: {} }];
// Ten pages of five people. 40 of 70 people have a level, none has a department.
const ROWS = 5;
const PEOPLE = 70;
const LEVELS = [14, 15];

let server: Server;
let project: Project;
let deps: CrawlDeps;
let asked: string[];
let answer: (where: string, body: Asked) => Answer;

beforeEach(async () => {
  asked = [];
  server = createServer((request, response) => {
    void (async () => {
      const said = await text(request);
      const where = request.url ?? '';
      const body = (said === '' ? {} : JSON.parse(said)) as Asked;
      asked.push(`${where} ${body.page ?? ''} ${JSON.stringify(body.filters ?? {})}`);
      const [status, sent] = answer(where, body);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(sent));
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  project = makeProject({ api: { url, key: 'a-key' }, temporal: 'none' });
  const config = loadConfig(project.env['TIDEMARK_CONFIG'] ?? '', project.env);
  const client = createApiClient({
    baseUrl: url,
    apiKey: 'a-key',
    retryBaseMs: 1,
    retryCapMs: 2,
    maxRetries: 1,
    onAttempt: bookAttempt,
  });
  deps = { config, data: new Data(config.dataDir), client, clock: createClock({}), log: createLog('test') };
});

afterEach(async () => {
  await deps.client.close();
  server.closeAllConnections();
  server.close();
  project.remove();
});

const context = () =>
  openRun(deps.config, deps.clock, { workflowType: 'marketSnapshot', workflowId: 'w', run: 'run-1', input: {} });

async function fetch(stream: 'employees' | 'executives', budget: number | null = null) {
  const ctx = context();
  const folder = path.join(project.dataDir, 'runs', ctx.run, 'due', stream);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'chunk-00000.json'), JSON.stringify([{ id: '9', reason: 'new' }]));
  return fetchChunk(deps, { ...ALONE, ctx, stream, chunk: 0, concurrency: 4, budget }, FIRST);
}

function landed(stream: 'employees' | 'executives') {
  const ctx = context();
  return readRunRows({ data: new Data(project.dataDir), stream, run: ctx.run, date: ctx.date });
}

/** The employee search of an API that finds people without a level only if no filter is set. */
function search(_where: string, { page, filters }: Asked): Answer {
  const people = Array.from({ length: PEOPLE }, (_, n) => ({ id: n, level: n >= 30 ? LEVELS[n % 2] : undefined }));
  const found = people.filter(
    ({ level }) =>
      filters.department === undefined && (filters.seniority === undefined || filters.seniority[0] === level),
  );
  const data = found.slice((page - 1) * ROWS, page * ROWS).map(({ id }) => ({ id, name: `Marker ${id}` }));
  return [200, { total_employees: String(found.length), total_pages: Math.ceil(found.length / ROWS), data }];
}

describe('employees of a company above the page cap', () => {
  it('finds people without seniority on the first ten pages', async () => {
    answer = search;
    expect(await fetch('employees')).toMatchObject({ failed: 0 });
    expect(landed('employees').filter(({ status }) => status !== 200)).toEqual([]);
    expect(landed('employees').filter(({ row_kind }) => row_kind.startsWith('last-'))).toHaveLength(1);
    expect(JSON.stringify(landed('employees'))).not.toContain('Marker');
  });

  it('names company, filters and counts if people cannot be found', async () => {
    answer = (where, body) => {
      const [status, sent] = search(where, body);
      const reply = sent as { total_employees: string };
      return [
        status,
        body.filters.seniority ? reply : { ...reply, total_employees: body.filters.department ? '0' : '90' },
      ];
    };
    expect(await fetch('employees')).toMatchObject({ failed: 1 });
    const rows = landed('employees').filter(({ status }) => status === 0);
    expect(rows.map(({ body }) => body)).toEqual([
      'The API reports 90 employees of company 9. The run found 70. Found by filters: {}: 70 of 90.',
    ]);
  });

  it('continues an interrupted search without repeating its requests', async () => {
    answer = search;
    let limited = true;
    for (let attempts = 0; limited; attempts++) {
      expect(attempts).toBeLessThan(100);
      ({ limited } = await fetch('employees', asked.length + 4));
    }
    const searches = asked.filter((one) => one.startsWith('/v2/employees'));
    // Each attempt may request again only the one page that the attempt before had not yet landed.
    expect(searches.length - new Set(searches).size).toBeLessThan(10);
    const found = new Set(
      landed('employees').flatMap(({ body }) =>
        (JSON.parse(body) as { data: { id: number }[] }).data.map(({ id }) => id),
      ),
    );
    expect(found.size).toBe(PEOPLE);
  });
});

describe('executives', () => {
  const executive = (id: number) => ({ id, last_name: `Marker ${id}`, function_original_name: 'Head' });

  it('come from the search if a page of the listing is empty', async () => {
    answer = (where, { page }) => {
      if (where.startsWith('/v1/finder/company/executives'))
        return [200, { pages: 2, list: where.includes('&page=1&') ? [executive(1), executive(2)] : [] }];
      if (where.startsWith('/v1/finder/executives'))
        return [200, { pages: 2, data: page === 1 ? [executive(2), executive(3)] : [executive(4)] }];
      const id = Number(/id=(\d+)/.exec(where)?.[1]);
      return id === 4
        ? [404, { error_name: 'IdNotFound', error_code: 404, message: 'No.', data: {} }]
        : [200, executive(id)];
    };
    expect(await fetch('executives')).toMatchObject({ failed: 0 });
    const details = asked.filter((one) => one.startsWith('/v1/finder/executive/'));
    expect(details.map((one) => /id=(\d+)/.exec(one)?.[1])).toEqual(['3', '4']);
    expect(JSON.stringify(landed('executives'))).not.toContain('Marker');
  });

  it('are cut short if the API refuses their details', async () => {
    answer = (where) =>
      where.startsWith('/v1/finder/executives') ? [200, { pages: 1, data: [executive(1)] }] : DENIED;
    expect(await fetch('executives')).toMatchObject({ failed: 1 });
    expect(landed('executives').map(({ body }) => body)).toContain(
      'The run could not read all executives of company 9. The API refuses the details of executives whom the search found.',
    );
  });
});
