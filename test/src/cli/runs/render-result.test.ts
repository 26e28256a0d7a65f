import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { StatedReason } from '../../../../schemas/pipeline/reason.js';
import type { RunResult } from '../../../../schemas/pipeline/run.js';
import { openDataFolder } from '../../../../src/store/folder-identity.js';
import { renderCoverage, renderResult } from '../../../../src/cli/runs/render-result.js';

const DATA = mkdtempSync(path.join(tmpdir(), 'tidemark-result-'));
afterAll(() => rmSync(DATA, { recursive: true }));
const RESULT: RunResult = {
  run: 'r',
  date: '2026-11-20',
  market: 'nordics',
  asOfNow: true,
  outcome: 'partial',
  incomplete: false,
  heldBack: null,
  requests: 10,
  forecast: null,
  rows: 9,
  rejects: 3,
  coverage: null,
  due: [],
  refused: [],
  drift: [],
  why: [],
  published: null,
  folder: await openDataFolder(DATA),
  notes: [],
};
const because = (count: number): StatedReason[] =>
  Array.from({ length: count }, (_, i) => ({ code: 'stopped', values: {}, reason: `Reason ${i + 1}.` }));
const lines = (more: Partial<RunResult>, id = 'snapshot/nordics/2026-11-20'): string[] =>
  renderResult(id, { ...RESULT, ...more }, DATA).split('\n');

it('prints a line for each cause, at most five, and the command that shows all', () => {
  const why = because(8);
  const notes = [...why.map(({ reason }) => reason), 'The clock is 3 s ahead.'];
  expect(lines({ why, notes }).slice(3)).toEqual([
    '  ! Reason 1.',
    '  ! Reason 2.',
    '  ! Reason 3.',
    '  ! Reason 4.',
    '  ! Reason 5.',
    '  ! and 3 more: `tidemark coverage --market nordics`',
    '  ! The clock is 3 s ahead.',
  ]);
  expect(lines({ why: because(5), notes: [] })).toHaveLength(8);
});

it('prints only the streams of a retry that had rejects', () => {
  const due = [
    { stream: 'companies' as const, known: 0, due: 0, reasons: {} },
    { stream: 'financials' as const, known: 3, due: 3, reasons: { failed: 3 } },
  ];
  const retry = { market: null, due, outcome: 'complete' as const, rejects: 0 };
  expect(lines(retry, 'rejects/2026-11-20/all').filter((line) => line.startsWith('  due'))).toEqual([
    '  due        3 of 3 financials: 3 failed last time',
  ]);
  expect(lines({ due }).filter((line) => line.startsWith('  due'))).toHaveLength(2);
});
it.each([
  [10_000, 10_000, 1, '10,000 of 10,000 companies (100 %)'],
  [9_998, 10_000, 0.9998, '9,998 of 10,000 companies (99.98 %), 2 missing'],
  [12_000, 12_000, null, '12,000 of at least 12,000 companies (share unknown)'],
  [11_990, 12_000, null, '11,990 of at least 12,000 companies (share unknown), 10 missing'],
])('shows %i of %i companies with the share %d', (distinctCompanies, reportedTotal, share, text) => {
  const missing = reportedTotal - distinctCompanies;
  expect(renderCoverage({ distinctCompanies, reportedTotal, missing, share })).toBe(text);
});
