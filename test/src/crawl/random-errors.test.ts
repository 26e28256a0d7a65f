import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { ApplicationFailure } from '@temporalio/common';
import { expect, it } from 'vitest';
import { castError } from '../../../activities/run/cast-errors.js';
import type { LandingStream } from '../../../schemas/streams/landing-streams.js';
import { createApiClient } from '../../../src/api/index.js';
import { loadConfig } from '../../../src/config/config.js';
import { createLog } from '../../../src/config/log.js';
import { fetchChunk } from '../../../src/crawl/chunks/fetch-chunk.js';
import { crawlListing } from '../../../src/crawl/chunks/crawl-listing.js';
import type { CrawlDeps, Heartbeat } from '../../../src/crawl/records/deps.js';
import { openRun } from '../../../src/crawl/run/open-run.js';
import { discoverMarket } from '../../../src/crawl/search/discover.js';
import { readRunRows } from '../../../src/landing/index.js';
import { bookAttempt } from '../../../src/landing/request-log.js';
import { ALONE } from '../../helpers/activity-inputs.js';
import { makeProject } from '../../helpers/project.js';
import { Data } from '../../../src/store/data.js';

/*
 * Nights of an API with random errors. Some records always fail in one way, others fail a few times. Sometimes the whole
 * API is down, answers only `limit` or has no quota left. Sometimes it refuses a whole route or never answers it.
 */

// `npm run test:long` takes 200.
const SEEDS = Number(process.env['RANDOM_ERRORS'] ?? 4);
const KEY = 'a-key-of-this-test';
const COMPANIES = 90;
const TENDERS = 70;
const PER_PAGE = 20;
const CHUNK = 30;
// Time that passes before Temporal repeats a failed attempt.
const PAUSE_MS = 15 * 60_000;

const LISTS: Record<string, { key: string; total: number; item: (i: number) => object }> = {
  '/v2/prospecting': { key: 'total_companies', total: COMPANIES, item: (i) => ({ id: i + 1 }) },
  '/v1/finder/tenders': { key: 'total_results', total: TENDERS, item: (i) => ({ slug: `t-${i}` }) },
};

type Fault = 'gone' | 'key' | 'refused' | 'limit' | 'daily' | 'fault' | 'cut' | 'malformed' | 'invalid';
const FAULTS: Fault[] = ['gone', 'key', 'refused', 'limit', 'daily', 'fault', 'cut', 'malformed', 'invalid'];
const ACCESS = { permission: 'p', permission_name: 'P', module: 'm', module_name: 'M', app: 'a', app_name: 'A' };
const ANSWERS: Record<Exclude<Fault, 'cut'>, [status: number, body: string]> = {
  gone: [404, '{"detail":"Not found."}'],
  key: [401, '{"detail":"Invalid token."}'],
  refused: [403, '{"detail":"You do not have permission."}'],
  limit: [429, JSON.stringify({ access: ACCESS, error_guard: 'limit', message_guard: 'Slow down.' })],
  daily: [429, JSON.stringify({ access: ACCESS, error_guard: 'limits.daily', message_guard: 'No more today.' })],
  fault: [500, '{"detail":"Internal failure."}'],
  malformed: [200, '{"id":1,}'],
  invalid: [400, '{"id":["Not this one."]}'],
};

/** The random server of one night. */
class RandomApi {
  readonly #random: () => number;
  /** What is always wrong, by path (a page of a search or listing has its number), and how often something else fails. */
  readonly #always = new Map<string, Fault>();
  readonly #fails = new Map<string, number>();
  /** What is wrong with everything, as long as requests are left for it. */
  #weather: { what: Fault | null; left: number } = { what: null, left: 40 };
  #used = 0;
  #limit: number;
  /** Number of good answers by path. */
  readonly answered = new Map<string, number>();
  /** Number of error answers by path. */
  readonly failed = new Map<string, number>();

  constructor(seed: number) {
    this.#random = randomOf(seed);
    this.#limit = this.#random() < 0.5 ? Infinity : 60 + Math.floor(this.#random() * 200);
    for (const route of ['/v2/companies/', '/v2/financial/']) {
      const dead = this.#random();
      if (dead < 0.2) this.#always.set(route, dead < 0.07 ? 'refused' : dead < 0.14 ? 'fault' : 'limit');
    }
  }

  /** Always the same fault of a path; null if it is healthy. */
  faultOf(where: string): Fault | null {
    const route = where.replace(/\d+$/, '');
    if (!this.#fails.has(where)) {
      const isRecord = /^\/v2\/(companies|financial)\//.test(where);
      if (isRecord && this.#random() < 0.1) this.#always.set(where, this.#pick(FAULTS));
      if (/ [2-9]$/.test(where) && this.#random() < 0.1)
        this.#always.set(where, this.#pick(['limit', 'fault', 'malformed']));
      this.#fails.set(where, this.#random() < 0.2 ? Math.ceil(this.#random() * 3) : 0);
    }
    return this.#always.get(route) ?? this.#always.get(where) ?? null;
  }

  nextDay(): void {
    this.#used = 0;
  }

  answer(where: string, body: string, response: ServerResponse): void {
    const fault = this.#faultNow(where);
    if (fault !== null) this.failed.set(where, (this.failed.get(where) ?? 0) + 1);
    else if (where !== '/v2/metrics') this.answered.set(where, (this.answered.get(where) ?? 0) + 1);
    if (fault === 'cut') {
      response.writeHead(200, { 'content-length': String(body.length) });
      response.write(body.slice(0, 3), () => setImmediate(() => response.destroy()));
      return;
    }
    const [status, said] = fault === null ? [200, body] : ANSWERS[fault];
    response.writeHead(status, { 'content-type': 'application/json' }).end(said);
  }

  metrics(): string {
    const total = this.#limit === Infinity ? 1_000_000 : this.#limit;
    const metric = { name: 'Daily', codename: 'daily', used: Math.min(this.#used, total), total };
    return JSON.stringify([{ name: 'Daily', codename: 'daily', metrics: [metric] }]);
  }

  #faultNow(where: string): Fault | null {
    if (this.#weather.left-- <= 0) {
      const what = this.#random() < 0.6 ? null : this.#pick<Fault>(['limit', 'fault', 'cut']);
      this.#weather = { what, left: 20 + Math.floor(this.#random() * (what === null ? 150 : 60)) };
    }
    if (where === '/v2/metrics') return this.#weather.what === 'limit' ? null : this.#weather.what;
    if (this.#weather.what !== null) return this.#weather.what;
    if (this.#used >= this.#limit) return 'daily';
    const fault = this.faultOf(where);
    if (fault === null || fault === 'gone') this.#used++;
    if (fault !== null) return fault;
    const left = this.#fails.get(where) ?? 0;
    if (left === 0) return null;
    this.#fails.set(where, left - 1);
    return 'fault';
  }

  #pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.#random() * from.length)] as T;
  }
}

/** Numbers from 0 to 1 (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed * 0x9e3779b1;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The body of a healthy answer to a path and a request body; for a page of a search or listing, also its number. */
function bodyOf(where: string, asked: { page?: number; per_page?: number }): { body: object; page?: number } {
  const id = Number(where.split('/').at(-1));
  if (!(where in LISTS)) return { body: where.startsWith('/v2/financial/') ? { 2024: { Turnover: 1 } } : { id } };
  const { key, total, item } = LISTS[where] as (typeof LISTS)[string];
  const { page = 1, per_page = PER_PAGE } = asked;
  const size = Math.min(per_page, PER_PAGE);
  const first = (page - 1) * size;
  const data = Array.from({ length: Math.max(0, Math.min(size, total - first)) }, (_, i) => item(first + i));
  return { body: { [key]: total, total_pages: Math.ceil(total / size), page, data }, page };
}

/** Starts the server, and prepares a run against it. */
async function startNight(seed: number) {
  const api = new RandomApi(seed);
  const server = createServer((request, response) => {
    void (async () => {
      const said = await text(request);
      const [where = ''] = (request.url ?? '').split('?');
      if (where === '/v2/metrics') return api.answer(where, api.metrics(), response);
      const { body, page } = bodyOf(where, said === '' ? {} : (JSON.parse(said) as object));
      api.answer(page === undefined ? where : `${where} ${page}`, JSON.stringify(body), response);
    })();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const project = makeProject({ api: { url, key: KEY }, temporal: 'none' });
  const config = loadConfig(project.env['TIDEMARK_CONFIG'] ?? '', project.env);
  let ahead = 0;
  const clock = { now: () => new Date(Date.now() + ahead) };
  const client = createApiClient({
    baseUrl: url,
    apiKey: KEY,
    retryBaseMs: 1,
    retryCapMs: 2,
    maxRetries: 1,
    requestsPerSecond: 1e6,
    stopAtDailyLimit: true,
    onAttempt: bookAttempt,
    now: () => clock.now(),
  });
  const deps: CrawlDeps = { config, data: new Data(config.dataDir), client, clock, log: createLog('test') };
  const ctx = openRun(config, clock, { workflowType: 'marketSnapshot', workflowId: 'w', run: 'run-1', input: {} });

  /** Repeats an activity as Temporal does, and waits for quota as the workflow does. */
  let attempts = 0;
  const run = async <T extends { limited: boolean }>(activity: (heartbeat: Heartbeat) => Promise<T>): Promise<T> => {
    const { signal } = new AbortController();
    let [attempt, began] = [1, ahead];
    for (let tries = 0; tries < 300; tries++) {
      attempts++;
      try {
        const since = Date.now() - (ahead - began);
        const result = await activity({ report: () => undefined, signal, attempt, since });
        if (!result.limited) return result;
        [attempt, began] = [1, ahead];
        api.nextDay();
      } catch (error) {
        const failure = castError(error);
        if (failure instanceof ApplicationFailure && failure.nonRetryable === true) throw error;
        attempt++;
        ahead += PAUSE_MS;
      }
    }
    throw new Error('the activity never ends');
  };

  const due = (stream: LandingStream, chunk: number, ids: readonly string[]): void => {
    const folder = path.join(project.dataDir, 'runs', ctx.run, 'due', stream);
    mkdirSync(folder, { recursive: true });
    const name = `chunk-${String(chunk).padStart(5, '0')}.json`;
    writeFileSync(path.join(folder, name), JSON.stringify(ids.map((id) => ({ id, reason: 'new' }))));
  };
  return {
    api,
    attempts: () => attempts,
    search: async () => {
      let round = 0;
      const step = () =>
        run((heartbeat) => discoverMarket(deps, { ctx, round, budget: 500, concurrency: 8 }, heartbeat));
      let found = await step();
      for (; !found.done && found.refused === undefined; round++) found = await step();
      return found;
    },
    tenders: () => run((heartbeat) => crawlListing(deps, { ctx, listing: 'tenders' }, heartbeat)),
    /** Fetches records in chunks. Returns the refusal that closed the stream, if any. */
    records: async (stream: 'companies' | 'financials', ids: readonly string[]) => {
      for (let chunk = 0; chunk * CHUNK < ids.length; chunk++) {
        due(stream, chunk, ids.slice(chunk * CHUNK, (chunk + 1) * CHUNK));
        const input = { ...ALONE, ctx, stream, chunk, concurrency: 8 };
        const { closed, refused } = await run((heartbeat) => fetchChunk(deps, input, heartbeat));
        if (closed) return refused?.[0] ?? null;
      }
      return undefined;
    },
    landed: (stream: LandingStream) =>
      readRunRows({ data: new Data(project.dataDir), stream, run: ctx.run, date: ctx.date }),
    stop: async () => {
      await client.close();
      server.closeAllConnections();
      server.close();
      project.remove();
    },
  };
}

it.each(Array.from({ length: SEEDS }, (_, i) => i + 1))(
  'loses and repeats nothing, and names each record without an answer, in the random night %d',
  async (seed) => {
    const night = await startNight(seed);
    const { api } = night;
    try {
      const tenders = await night.tenders();
      const slugs = new Set(
        night
          .landed('tenders')
          .flatMap(({ body, status }) =>
            status === 200 ? (JSON.parse(body) as { data: { slug: string }[] }).data.map(({ slug }) => slug) : [],
          ),
      );
      if (slugs.size < TENDERS) expect(tenders.shortfall ?? tenders.refused, 'tenders').toBeTruthy();
      const { distinctCompanies, coverage } = await night.search();
      expect(distinctCompanies + (coverage?.missing ?? 0)).toBe(COMPANIES);

      const ids = Array.from({ length: COMPANIES }, (_, i) => String(i + 1));
      for (const [stream, route] of [
        ['companies', '/v2/companies/'],
        ['financials', '/v2/financial/'],
      ] as const) {
        const closed = await night.records(stream, ids);
        if (closed !== undefined) expect(closed?.message, stream).toMatch(/permission|Slow down/);
        const rows = night.landed(stream);
        expect(new Set(rows.map(({ entity_id }) => entity_id)).size, `${stream}: each record landed once`).toBe(
          rows.length,
        );
        if (closed === undefined) expect(rows, stream).toHaveLength(COMPANIES);
        for (const { entity_id, row_kind, status, body } of rows) {
          const fault = api.faultOf(`${route}${entity_id}`);
          const what = `${stream} ${entity_id}: ${fault}, ${row_kind} ${status} ${body}`;
          if (row_kind === 'failed') {
            expect(body, what).not.toBe('');
            if (/Slow down/.test(body)) expect(fault, what).toBe('limit');
            else if (/No more today/.test(body)) expect(fault, what).toBe('daily');
            // A healthy record may fail in two tries of two requests each, if the API was down both times.
            else if (fault === null) expect(api.failed.get(`${route}${entity_id}`), what).toBeGreaterThanOrEqual(4);
          } else if (fault === 'gone') expect(status, what).toBe(404);
          else expect([status, fault], what).toEqual([200, null]);
        }
      }
      const repeated = [...api.answered]
        .filter(([where]) => /^\/v2\/(companies|financial)\//.test(where))
        .reduce((sum, [, count]) => sum + count - 1, 0);
      expect(repeated).toBeLessThanOrEqual(3 * night.attempts());
    } finally {
      await night.stop();
    }
  },
);
