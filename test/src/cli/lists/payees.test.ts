import { describe, expect, it } from 'vitest';
import { forecastPayees } from '../../../../src/cli/payees/forecast.js';
import type { KnownAnswer } from '../../../../src/cli/payees/known-answers.js';
import { resultRows, type HashedList } from '../../../../src/cli/payees/result-file.js';

const NOW = Date.parse('2026-11-22T12:00:00Z');

function answer(hash: string, more: Partial<KnownAnswer> = {}): [string, KnownAnswer] {
  const observed_at = '2026-11-20T12:00:00.000Z';
  const usual = { check_id: '1', decision: 'OK_TO_PAY', observed_at, reported_at: observed_at };
  return [hash, { question_hash: hash, ...usual, ...more }];
}

describe('forecastPayees', () => {
  const answers = new Map([
    answer('fresh'),
    answer('old', { observed_at: '2026-09-01T12:00:00.000Z' }),
    answer('future', { observed_at: '2026-12-01T12:00:00.000Z' }),
    answer('unreported', { reported_at: null }),
    answer('undecided', { decision: null }),
    answer('nameless', { check_id: null, reported_at: null }),
  ]);
  const hashes = ['new', ...answers.keys()];
  const options = { now: NOW, recheckAfterSeconds: 30 * 86_400, reports: true };

  it('counts checks of new and old payees, and reports that are missing or without a decision', () => {
    const expected = { checks: 1, rechecks: 2, fresh: 4, reports: 5, requests: 8 };
    expect(forecastPayees(hashes, answers, options)).toEqual(expected);
  });

  it('counts no report without reports, and every check with age 0', () => {
    const all = forecastPayees(hashes, answers, { ...options, recheckAfterSeconds: 0, reports: false });
    expect(all).toEqual({ checks: 1, rechecks: 6, fresh: 0, reports: 0, requests: 7 });
  });
});

it('adds check, decision, time and fault to the rows of the user, and replaces those of an earlier result', () => {
  const row = { value: null, problem: null };
  const cells = ['our no', 'decision', 'iban'];
  const list: HashedList = {
    header: { cells, columns: [undefined, undefined, 'id'], ignored: cells.slice(0, 2), alike: [] },
    delimiter: ',',
    rows: [
      { ...row, line: 2, cells: ['1', 'DO_NOT_PAY', 'DE1'], hash: 'a' },
      { ...row, line: 3, cells: ['2', '', 'DE2'], hash: 'b' },
      { ...row, line: 4, cells: ['3', '', 'DE3'], hash: null, problem: 'id: wrong' },
      { ...row, line: 5, cells: ['torn'], hash: null, problem: 'a quote' },
      { ...row, line: 6, cells: ['4', '', 'DE4'], hash: 'c' },
    ],
  };
  const known = { answers: new Map([answer('a')]), faults: new Map([['b', 'http_error: no']]) };
  expect(resultRows(list, known).map(({ own, added }) => [...own, ...added])).toEqual([
    ['our no', 'iban', 'check_id', 'decision', 'checked_at', 'fault'],
    ['1', 'DE1', '1', 'OK_TO_PAY', '2026-11-20T12:00:00.000Z', null],
    ['2', 'DE2', null, null, null, 'http_error: no'],
    ['3', 'DE3', null, null, null, 'id: wrong'],
    ['torn', '', null, null, null, 'a quote'],
    ['4', 'DE4', null, null, null, 'no answer yet: run the command again'],
  ]);
});
