import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../../../../../src/base/json/canonical-json.js';
import type { PlanAnswer, PlanRequest } from '../../../../../src/crawl/search/plan/index.js';
import { requestKey, Requests, type SearchAsk } from '../../../../../src/crawl/search/plan/requests.js';

it('builds the same key for filters in any order', () => {
  const ask = { route: 'v2' as const, segment: 's', page: 2, per_page: 100, purpose: 'page' as const };
  const a = requestKey({ ...ask, filters: { b: [2, 1], a: { lte: 2, gte: 1 } } });
  const b = requestKey({ ...ask, segment: 'other', purpose: 'segment', filters: { a: { gte: 1, lte: 2 }, b: [2, 1] } });
  expect(a).toBe(b);
  expect(requestKey({ ...ask, route: 'v1', filters: {} })).toBe(
    'POST /v1/finder/companies {"filters":{},"page":2,"per_page":100}',
  );
  expect(a).toBe('POST /v2/prospecting {"filters":{"a":{"gte":1,"lte":2},"b":[2,1]},"page":2,"per_page":100}');
});

it('marks a deliberate repetition in the request key', () => {
  const ask = { route: 'v2' as const, segment: 's', filters: {}, page: 1, per_page: 10, purpose: 'again' as const };
  expect(requestKey({ ...ask, again: '2' })).toBe(`${requestKey(ask)}#2`);
});

it('writes canonical JSON that parses to the same value', () => {
  const value = { z: [1, 'a"b', null, { y: true }], a: { c: undefined, b: 0.1 } };
  expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
});

describe('the requests of a plan', () => {
  const ask = (page: number): SearchAsk => ({ segment: 's', filters: {}, page, per_page: 10, purpose: 'page' });
  const ANSWER = { total: 1, totalPages: 1, ids: [] };

  /** Requests whose answers a test gives by hand, two in flight. */
  function open() {
    const sent: number[] = [];
    const used: number[] = [];
    const waiting = new Map<number, { resolve: (answer?: PlanAnswer) => void; reject: (error: Error) => void }>();
    const send = ({ page }: PlanRequest) =>
      new Promise<PlanAnswer | undefined>((resolve, reject) => {
        sent.push(page);
        waiting.set(page, { resolve, reject });
      });
    return { sent, used, waiting, requests: new Requests(send, 2, ({ page }) => void used.push(page)) };
  }

  const settled = () => new Promise((resolve) => setImmediate(resolve));

  it('sends equal requests once, the first asked first, two at the same time', async () => {
    const { sent, used, waiting, requests } = open();
    const run = requests.run(async () => {
      const answers = await Promise.all([1, 2, 1, 3, 2].map((page) => requests.search(ask(page))));
      expect(answers).toEqual([ANSWER, ANSWER, ANSWER, ANSWER, ANSWER]);
    });
    expect(sent).toEqual([1, 2]);
    waiting.get(2)!.resolve(ANSWER);
    await settled();
    expect(sent).toEqual([1, 2, 3]);
    waiting.get(1)!.resolve(ANSWER);
    waiting.get(3)!.resolve(ANSWER);
    expect(await run).toBe(true);
    expect(used).toEqual([2, 1, 3]);
    expect([requests.asked, requests.answered]).toEqual([3, 3]);
  });

  it('ends a run that waits only for a request that was not sent', async () => {
    const { waiting, requests } = open();
    const run = requests.run(async () => void (await requests.search(ask(1))));
    waiting.get(1)!.resolve(undefined);
    expect(await run).toBe(false);
    expect([requests.asked, requests.answered]).toEqual([1, 0]);
  });

  it('waits for the requests in flight after an error, and sends nothing more', async () => {
    const { sent, used, waiting, requests } = open();
    const run = requests.run(async () => void (await Promise.all([1, 2, 3].map((page) => requests.search(ask(page))))));
    waiting.get(1)!.reject(new Error('first'));
    let ended = false;
    void run.catch(() => (ended = true));
    await settled();
    expect(ended).toBe(false);
    waiting.get(2)!.resolve(ANSWER);
    await expect(run).rejects.toThrow('first');
    expect([sent, used]).toEqual([[1, 2], [2]]);
  });

  it('ends with the error of the plan, and with that of work that it awaits later', async () => {
    const broken = async (): Promise<void> => {
      throw new Error('broken');
    };
    await expect(open().requests.run(broken)).rejects.toThrow('broken');
    const { waiting, requests } = open();
    const run = requests.run(async () => {
      const work = requests.watch(broken());
      await requests.search(ask(1));
      await work;
    });
    await settled();
    waiting.get(1)!.resolve(ANSWER);
    await expect(run).rejects.toThrow('broken');
  });
});
