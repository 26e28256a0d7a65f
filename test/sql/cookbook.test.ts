import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openPublished } from '../../src/warehouse/builds/published.js';
import type { PlainValue } from '../../src/warehouse/duckdb/plain-value.js';
import { ROOT } from '../helpers/processes.js';
import { prepareOnce } from '../helpers/warehouse.js';
import { publishWorld } from '../helpers/world-warehouse.js';
import { ANSWERS } from './cookbook-answers.js';
import { callsOf, readBlocks, readCommandLines } from '../docs/read-pages.js';

/*
 * Runs each query of docs/cookbook.md on the published nights of a sandbox market. Compares the rows with answers that
 * are computed from the sandbox's world, without SQL. Also runs the queries of all other pages.
 */

const PAGE = readFileSync(path.join(ROOT, 'docs', 'cookbook.md'), 'utf8');
const QUESTIONS = PAGE.split(/^### /m)
  .slice(1)
  .map((section) => ({ title: section.split('\n')[0]!, sql: /```sql\n(.*?)```/s.exec(section)?.[1]?.trim() ?? '' }));

const prepared = prepareOnce(publishWorld);

describe('docs/cookbook.md', () => {
  it('has thirty questions with at most ten lines of SQL', () => {
    expect(QUESTIONS.map(({ title }) => Number.parseInt(title, 10))).toEqual(
      Array.from({ length: 30 }, (_, i) => i + 1),
    );
    for (const { title, sql } of QUESTIONS) expect(sql.split('\n').length, title).toBeLessThanOrEqual(10);
    expect(Object.keys(ANSWERS).map(Number)).toEqual(QUESTIONS.map((_, i) => i + 1));
  });

  it('answers each question as the sandbox does', async () => {
    const rows = new Map<string, PlainValue[][]>();
    const published = await openPublished(prepared());
    try {
      for (const { title, sql } of QUESTIONS) rows.set(title, (await published.query(sql)).rows);
    } finally {
      published.close();
    }
    const wrong: unknown[] = [];
    for (const [title, found] of rows) {
      const expected = ANSWERS[Number.parseInt(title, 10)]!();
      // A question without rows would be answered rightly by any wrong query.
      expect(found.length, title).toBeGreaterThan(0);
      // Of a wrong answer, show only the first row that differs.
      const at = Array.from({ length: Math.max(found.length, expected.length) }).findIndex(
        (_, i) => !isSame(found[i], expected[i]),
      );
      if (at >= 0) wrong.push({ title, row: at + 1, found: found[at], expected: expected[at] });
    }
    expect(wrong).toEqual([]);
  });
});

describe('queries of other pages', () => {
  // The shell splits a line, and the market of this test has days of its own.
  const statements = [
    ...readCommandLines().flatMap(({ place, line }) =>
      callsOf('tidemark', line)
        .filter(([command, query = '']) => command === 'sql' && /\b(SELECT|FROM)\b/.test(query))
        .map(([, query = '']) => ({ place, sql: query.replaceAll('\\"', '"') })),
    ),
    ...readBlocks()
      .filter(
        ({ language, file, text }) =>
          language === 'sql' && file !== 'docs/cookbook.md' && !text.startsWith('/*\nmodel:'),
      )
      .flatMap(({ file, line, text }) =>
        text
          .split(/;\s*(?:\n|$)/)
          .filter((sql) => sql.trim() !== '')
          .map((sql) => ({ place: `${file}:${line}`, sql })),
      ),
  ];
  // Other tests run a query of the landing zone (test/src/warehouse/models/docs.test.ts) and a macro of a models folder
  // (test/docs/own-macros.test.ts).
  const published = statements.filter(({ sql }) => !sql.includes('data/landing') && !sql.startsWith('CREATE MACRO'));

  it('finds them', () => {
    expect(published.length).toBeGreaterThan(8);
    expect(published.filter(({ place }) => place.startsWith('README.md')).length).toBe(4);
  });

  it('run, and the queries of the README have answers', async () => {
    const open = await openPublished(prepared());
    const wrong: string[] = [];
    try {
      for (const { place, sql } of published) {
        try {
          const { rows } = await open.query(sql);
          if (rows.length === 0 && place.startsWith('README.md')) wrong.push(`${place}: no rows`);
        } catch (error) {
          wrong.push(`${place}: ${String(error)}`);
        }
      }
    } finally {
      open.close();
    }
    expect(wrong).toEqual([]);
  });
});

/** Whether two values are equal. Sums in another order differ in their last digits, so numbers may differ by 1e-9. */
function isSame(a: unknown, b: unknown): boolean {
  if (typeof a === 'number' && typeof b === 'number')
    return Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b));
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((value, i) => isSame(value, b[i]));
  return (a ?? null) === (b ?? null);
}
