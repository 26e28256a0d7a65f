import { expect, it } from 'vitest';
import { canonicalJson } from '../../../../../src/base/json/canonical-json.js';
import { requestKey } from '../../../../../src/crawl/search/plan/request-key.js';

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
