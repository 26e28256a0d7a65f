import { describe, expect, it } from 'vitest';
import { joinReasons, sayReason, type SpokenReason } from '../../schemas/pipeline/reason.js';

const tooExpensive = { limit: 3, requests: 40, found: 12, further: [] };

describe('sayReason', () => {
  it.each<[SpokenReason, number, string]>([
    [{ code: 'no_value', values: {} }, 1, '1 company has no value by which a search can select it.'],
    [{ code: 'no_value', values: {} }, 1_204, '1,204 companies have no value by which a search can select them.'],
    [
      { code: 'no_value', values: {} },
      0,
      'Companies may be missing: some may have no value by which a search can select them.',
    ],
    [
      { code: 'too_expensive', values: tooExpensive },
      24,
      '24 companies were not found, because each would cost more than 3 requests, and `remainder` allows no more.',
    ],
    [
      { code: 'too_expensive', values: { ...tooExpensive, limit: 1 } },
      1,
      '1 company was not found, because each would cost more than 1 request, and `remainder` allows no more.',
    ],
    [
      { code: 'page_cap', values: { most: 1_000, total: 1_295 } },
      295,
      'A search with 1,295 companies cannot be split further. A search shows at most 1,000, so 295 of them cannot be listed.',
    ],
    [
      { code: 'pages_short', values: { listed: 3, total: 5 } },
      2,
      'The API counts 5 companies in this search, but the pages list only 3.',
    ],
    [
      { code: 'moved', values: {} },
      1,
      '1 company that the API counts was not listed. It was probably added, removed or moved during the run.',
    ],
    [
      { code: 'total_changed', values: { first: 3_003, last: 3_010 } },
      7,
      'The total of the market changed during the run, from 3,003 to 3,010.',
    ],
    [
      { code: 'unusable_ids', values: { fault: 'unusable_id', companies: 1, example: 'c-0001' } },
      1,
      'The API lists 1 company with ids that the warehouse cannot store, such as c-0001; `tidemark rejects` lists it.',
    ],
    [
      { code: 'records_failed', values: { stream: 'financials', records: 3 } },
      0,
      '3 reports could not be fetched; `tidemark rejects` lists them.',
    ],
    [
      { code: 'records_failed', values: { stream: 'a_new_stream', records: 1 } },
      0,
      '1 record of a_new_stream could not be fetched; `tidemark rejects` lists it.',
    ],
  ])('says %j with %i missing', (reason, missing, sentence) => {
    expect(sayReason(reason, missing)).toBe(sentence);
  });
});

describe('joinReasons', () => {
  it('says one sentence for each code, the largest first, and adds up counts', () => {
    const causes = joinReasons([
      { code: 'pages_short', values: { listed: 3, total: 5 }, missing: 2 },
      { code: 'no_value', values: {}, missing: 20 },
      { code: 'pages_short', values: { listed: 10, total: 17 }, missing: 7 },
      { code: 'no_value', values: {}, missing: 4 },
    ]);
    expect(causes).toEqual([
      {
        code: 'no_value',
        values: {},
        missing: 24,
        searches: 2,
        reason: '24 companies have no value by which a search can select them.',
      },
      {
        code: 'pages_short',
        values: { listed: 13, total: 22 },
        missing: 9,
        searches: 2,
        reason: 'The API counts 22 companies in 2 searches, but the pages list only 13.',
      },
    ]);
    expect(joinReasons([])).toEqual([]);
  });
});
