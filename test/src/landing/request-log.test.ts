import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { AttemptReport } from '../../../src/api/index.js';
import { bookAttempt, bookingIn, bookSent, readRequests, RequestLog } from '../../../src/landing/request-log.js';
import { Data } from '../../../src/store/data.js';

const RUN = 'night-1';
const attempt = (more: Partial<AttemptReport> = {}): AttemptReport => ({
  endpoint: 'GET /v2/companies/{id}',
  status: 200,
  ms: 100,
  bytes: 1_000,
  retry: false,
  error: null,
  ...more,
});

let data: string;
let requests: string;

beforeEach(() => {
  data = mkdtempSync(path.join(tmpdir(), 'tidemark-requests-'));
  requests = path.join(data, 'runs', RUN, 'requests');
});
afterEach(() => rmSync(data, { recursive: true, force: true }));

describe('the request log', () => {
  it('sums attempts, errors, retries and bytes per endpoint', () => {
    const first = new RequestLog(new Data(data), RUN, 'chunk-1');
    first.add(attempt());
    first.add(attempt({ status: 503, error: 'ServerError', bytes: 10, ms: 300 }));
    first.add(attempt({ retry: true, ms: 1_000 }));
    first.add(attempt({ endpoint: 'POST /v1/finder/companies', bytes: 7 }));
    first.close();
    const second = new RequestLog(new Data(data), RUN, 'chunk-2');
    second.add(attempt({ bytes: 5 }));
    second.add(attempt({ status: 0, error: 'TimeoutError', retry: true, bytes: 0 }));
    second.close();

    expect([first.requests, second.requests]).toEqual([4, 2]);
    const totals = readRequests(data, RUN);
    expect(totals).toMatchObject([
      { endpoint: 'GET /v2/companies/{id}', requests: 5, errors: 2, retries: 2, bytes: 2_015 },
      { endpoint: 'POST /v1/finder/companies', requests: 1, errors: 0, retries: 0, bytes: 7 },
    ]);
    expect(totals[0]!.p50_ms).toBeGreaterThan(90);
    expect(totals[0]!.p50_ms).toBeLessThan(110);
    expect(totals[0]!.p99_ms).toBeGreaterThan(900);
    expect(totals[0]!.p99_ms).toBeLessThan(1_100);
  });

  it('writes no request log for a run without requests', () => {
    new RequestLog(new Data(data), RUN, 'chunk-1').close();
    expect(readRequests(data, RUN)).toEqual([]);
    expect(existsSync(requests)).toBe(false);
  });

  it('counts requests of a killed worker whose answers are not logged', () => {
    const killed = new RequestLog(new Data(data), RUN, 'chunk-1');
    for (let i = 0; i < 20; i++) killed.sending();
    for (let i = 0; i < 4; i++) killed.add(attempt());
    // The process ends here: nothing else is written.
    expect(readRequests(data, RUN)).toEqual([
      { endpoint: 'unknown', requests: 20, errors: 0, retries: 0, bytes: 0, p50_ms: null, p99_ms: null },
    ]);
    const next = new RequestLog(new Data(data), RUN, 'chunk-1');
    for (let i = 0; i < 3; i++) {
      next.sending();
      next.add(attempt());
    }
    next.close();
    expect(readRequests(data, RUN)).toMatchObject([
      { endpoint: 'GET /v2/companies/{id}', requests: 3 },
      { endpoint: 'unknown', requests: 20 },
    ]);
    // Without the kill, all answers are logged.
    killed.close();
    expect(readRequests(data, RUN)).toMatchObject([
      { endpoint: 'GET /v2/companies/{id}', requests: 7 },
      { endpoint: 'unknown', requests: 16 },
    ]);
  });

  it('appends to the file of an earlier attempt', () => {
    for (let i = 0; i < 2; i++) {
      const log = new RequestLog(new Data(data), RUN, 'chunk-1');
      log.add(attempt());
      log.close();
    }
    expect(readRequests(data, RUN)).toMatchObject([{ requests: 2, bytes: 2_000 }]);
  });

  it('writes entries every second while the activity runs', () => {
    vi.useFakeTimers();
    try {
      const log = new RequestLog(new Data(data), RUN, 'chunk-1');
      log.add(attempt());
      log.add(attempt());
      expect(readRequests(data, RUN)).toEqual([]);
      vi.advanceTimersByTime(1_000);
      expect(readRequests(data, RUN)).toMatchObject([{ requests: 2 }]);
      log.add(attempt());
      vi.advanceTimersByTime(1_000);
      expect(readRequests(data, RUN)).toMatchObject([{ requests: 3 }]);
      expect(vi.getTimerCount()).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it('skips a line torn by a kill', () => {
    const log = new RequestLog(new Data(data), RUN, 'chunk-1');
    log.add(attempt());
    log.close();
    const file = path.join(requests, 'chunk-1.ndjson');
    appendFileSync(file, readFileSync(file, 'utf8').slice(0, 30));
    expect(readRequests(data, RUN)).toMatchObject([{ requests: 1 }]);
  });

  it('keeps entries that cannot be written and writes them later', () => {
    vi.useFakeTimers();
    try {
      mkdirSync(path.dirname(requests), { recursive: true });
      writeFileSync(requests, 'a file in the way');
      const log = new RequestLog(new Data(data), RUN, 'chunk-1');
      log.add(attempt());
      vi.advanceTimersByTime(1_000);
      rmSync(requests);
      mkdirSync(requests);
      writeFileSync(path.join(requests, 'chunk-1.ndjson'), '{"GET /v2/comp');
      log.add(attempt());
      log.close();
      log.close();
      expect(readRequests(data, RUN)).toMatchObject([{ requests: 2 }]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('fails on close if entries could not be written', () => {
    mkdirSync(path.dirname(requests), { recursive: true });
    writeFileSync(requests, 'a file in the way');
    const log = new RequestLog(new Data(data), RUN, 'chunk-1');
    log.add(attempt());
    expect(() => log.close()).toThrow(/EEXIST|ENOTDIR/);
  });
});

describe('bookingIn', () => {
  it('logs the requests of its work and none from outside', async () => {
    const log = new RequestLog(new Data(data), RUN, 'chunk-1');
    bookAttempt(attempt());
    const result = await bookingIn(log, async () => {
      await Promise.resolve();
      bookAttempt(attempt());
      return 'done';
    });
    bookAttempt(attempt());
    expect([result, log.requests]).toEqual(['done', 1]);
    expect(readRequests(data, RUN)).toMatchObject([{ requests: 1 }]);
  });

  it('logs the requests of work that fails', async () => {
    const failing = bookingIn(new RequestLog(new Data(data), RUN, 'chunk-1'), async () => {
      bookAttempt(attempt({ error: 'ServerError' }));
      throw new Error('no more');
    });
    await expect(failing).rejects.toThrow('no more');
    expect(readRequests(data, RUN)).toMatchObject([{ requests: 1, errors: 1 }]);
  });

  it.runIf(existsSync('/proc/self/fd'))('logs an answer that comes after its end, and keeps no file open', async () => {
    let late = Promise.resolve();
    await bookingIn(new RequestLog(new Data(data), RUN, 'chunk-1'), () => {
      bookSent();
      late = sleep(20).then(() => bookAttempt(attempt()));
      return Promise.resolve();
    });
    await late;
    await expect.poll(() => readRequests(data, RUN)).toMatchObject([{ endpoint: attempt().endpoint, requests: 1 }]);
    const open = readdirSync('/proc/self/fd').flatMap((fd) => {
      try {
        return [readlinkSync(path.join('/proc/self/fd', fd))];
      } catch {
        return [];
      }
    });
    expect(open.filter((file) => file.startsWith(data))).toEqual([]);
  });
});
