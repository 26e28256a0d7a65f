import { expect } from 'vitest';
import type { Truth } from '../stub/truth.js';
import type { Project } from './project.js';

/** Expects that the query of a truth returns exactly its rows, in this order. */
export async function expectTruth({ project }: { project: Project }, { sql, rows }: Truth): Promise<void> {
  expect(await project.query(sql)).toEqual(rows);
}

/** Expects that the query of a truth returns its rows, in any order. */
export async function expectSameRows({ project }: { project: Project }, { sql, rows }: Truth): Promise<void> {
  const texts = (some: object[]): string[] =>
    some.map((row) => JSON.stringify(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1)))).toSorted();
  expect(texts(await project.query(sql))).toEqual(texts(rows));
}
