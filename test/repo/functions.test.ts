import { describe, expect, it } from 'vitest';
import { readProjectFiles } from './project-files.js';
import { readFunctions } from './read-functions.js';

const MOST_LINES = 30;

const activities = readProjectFiles(/^activities\/.*\.ts$/);

describe('functions of activities', () => {
  it('finds the activities', () => {
    expect(activities.size).toBeGreaterThan(5);
  });

  it(`allows activities at most ${MOST_LINES} lines per function`, () => {
    const long = [...activities].flatMap(([file, text]) =>
      readFunctions(text)
        .filter(({ lines }) => lines > MOST_LINES)
        .map(({ name, line, lines }) => `${file}:${line} ${name}: ${lines} lines`),
    );
    expect(long).toEqual([]);
  });

  it('finds no SQL and no path in activities', () => {
    const hits = [...activities].flatMap(([file, text]) =>
      (text.match(/\bSELECT\b|\bnode:path\b|\bpath\.join\b/g) ?? []).map((hit) => `${file}: ${hit}`),
    );
    expect(hits).toEqual([]);
  });
});

describe('readFunctions', () => {
  it('measures every form of a function', () => {
    const text = [
      'export function one(a: string) {',
      '  return a;',
      '}',
      'const two = (a: number, b = 2) => ({',
      '  three(c: unknown) { return c; },',
      '  four: async () => undefined,',
      '});',
      'class Five { six(): void {} #seven(): void {} }',
    ].join('\n');
    expect(readFunctions(text).map(({ name, line, lines, parameters }) => [name, line, lines, parameters])).toEqual([
      ['one', 1, 3, 1],
      ['two', 4, 4, 2],
      ['three', 5, 1, 1],
      ['four', 6, 1, 0],
      ['six', 8, 1, 0],
      ['seven', 8, 1, 0],
    ]);
  });
});
