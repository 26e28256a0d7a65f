import * as fc from 'fast-check';
import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import type { PlainValue } from '../../../../src/warehouse/duckdb/plain-value.js';
import { writeCsv, writeJson } from '../../../../src/warehouse/duckdb/write-rows.js';

async function* batches(...rows: PlainValue[][][]): AsyncGenerator<PlainValue[][]> {
  yield* rows;
}

async function collect(write: typeof writeCsv, columns: string[], ...rows: PlainValue[][][]): Promise<string> {
  let text = '';
  await write({ columns, batches: batches(...rows) }, async (more) => {
    text += more;
  });
  return text;
}

describe('writeCsv', () => {
  it('quotes CSV cells where needed and distinguishes NULL from empty text', async () => {
    const rows = [
      [1, 'a "b", c\nd'],
      [null, ''],
      [1.5, ['x', 'y']],
    ] satisfies PlainValue[][];
    expect(await collect(writeCsv, ['n', 'text'], rows)).toBe(
      'n,text\r\n1,"a ""b"", c\nd"\r\n,""\r\n1.5,"[""x"",""y""]"\r\n',
    );
  });

  const cell = async (value: PlainValue, exact = false): Promise<string> => {
    let text = '';
    const sink = async (more: string): Promise<void> => void (text += more);
    await writeCsv({ columns: ['c'], batches: batches([[value]]) }, sink, { exact });
    return text.slice('c\r\n'.length, -2);
  };

  it.each([
    '=1+1',
    "=cmd|' /C calc'!A0",
    '+1+1',
    '-2+3',
    '@SUM(1)',
    '  =1',
    '\u0000=1',
    '＝1',
    '+45 12 34 56 78',
    '-',
    '-1;2',
  ])('guards the formula %j in CSV, but not with --exact', async (text) => {
    const bare = (written: string): string => (written.startsWith('"') ? written.slice(1, -1) : written);
    expect(bare(await cell(text))).toBe(`'${text}`);
    expect(bare(await cell(text, true))).toBe(text);
  });

  it.each([-5, -1.5e-7, '-12345678901234567890', '+7', '-0.5', -Infinity, '-Infinity', 'a=1', 'x@y.example', ['=1']])(
    'writes %j to CSV unchanged',
    async (value) => {
      const text = Array.isArray(value) ? '"[""=1""]"' : String(value);
      expect(await cell(value)).toBe(text);
    },
  );

  it('guards CSV headers and quotes other delimiters', async () => {
    expect(await collect(writeCsv, ['=a', 'b;c'], [[['x\ty', 'x;=1']]].flat())).toBe(`'=a,"b;c"\r\n"x\ty","x;'=1"\r\n`);
  });

  it.each([
    ["ACME;=cmd|' /C calc'!A0", "ACME;'=cmd|' /C calc'!A0"],
    ['a\t+1', "a\t'+1"],
    ['a|@SUM(1)', "a|'@SUM(1)"],
    ['a\r\n=1', "a\r\n'=1"],
    ['a; "=1"', `a; "'=1"`],
    ['a;＝1', "a;'＝1"],
    ['\t=1', "'\t'=1"],
    ['\r=1', "'\r'=1"],
    ['\n=1', "'\n'=1"],
    ['a, =1', 'a, =1'],
    ['a;b=1|c-2', 'a;b=1|c-2'],
  ])("guards formulas in %j after other countries' delimiters", async (text, guarded) => {
    const written = await cell(text);
    expect(parse(written)[0]).toEqual([guarded]);
    expect(parse(await cell(text, true))[0]).toEqual([text]);
  });

  const piece = fc.constantFrom(
    'a',
    '1',
    ' ',
    '=',
    '+',
    '-',
    '@',
    ';',
    '\t',
    '|',
    ',',
    '"',
    "'",
    '\n',
    '\r',
    '＝',
    '\u0000',
  );
  const table = fc.array(
    fc.tuple(fc.string({ unit: piece, maxLength: 12 }), fc.string({ unit: piece, maxLength: 12 })),
  );
  const written = async (rows: PlainValue[][]): Promise<string> => collect(writeCsv, ['a', 'b'], rows);

  it('writes no CSV cell that a spreadsheet would run, at any delimiter', async () => {
    // A plain number is no formula.
    const formula = (text: string): boolean => /^[\s\p{Cc}"]*[=+\-@\uff1d]/u.test(text) && !/^[+-]?\d+$/.test(text);
    await fc.assert(
      fc.asyncProperty(table, async (rows) => {
        const text = await written(rows);
        for (const delimiter of [';', '\t', '|']) {
          const ignoringQuotes = text
            .split('\r\n')
            .flatMap((line) => line.split(/[\r\n]/))
            .flatMap((line) => line.split(delimiter));
          for (const found of ignoringQuotes)
            expect(formula(found) && !/^[+-]?\d+,/.test(found), JSON.stringify([text, found])).toBe(false);
          const lenient = parse(text, { delimiter, relax_quotes: true, relax_column_count: true, quote: null });
          for (const found of lenient.flat()) expect(formula(found) && !/^[+-]?\d+,/.test(found), found).toBe(false);
        }
        for (const found of parse(text).flat()) expect(formula(found), JSON.stringify([text, found])).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  it('writes CSV that reads back exactly with --exact', async () => {
    await fc.assert(
      fc.asyncProperty(table, async (rows) => {
        const text = await collect((result, sink) => writeCsv(result, sink, { exact: true }), ['a', 'b'], rows);
        expect(parse(text, { record_delimiter: '\r\n' })).toEqual([['a', 'b'], ...rows]);
      }),
    );
  });

  it('guards a CSV cell of 900,000 characters', async () => {
    const text = `a${'\n'.repeat(300_000)}b${'; '.repeat(300_000)}=1`;
    expect((await cell(text)).endsWith(`; '=1"`)).toBe(true);
  });
});

describe('writeJson', () => {
  it('writes one JSON array over all batches', async () => {
    const text = await collect(writeJson, ['id', 'name'], [[1, 'a']], [[2, null]]);
    expect(JSON.parse(text)).toEqual([
      { id: 1, name: 'a' },
      { id: 2, name: null },
    ]);
  });

  it('writes exact JSON without control characters', async () => {
    const name = 'a\u0000\u001b[2J\u009b31m\u202e😀\ud800\r\n';
    const text = await collect(writeJson, ['name'], [[name]]);
    expect(JSON.parse(text)).toEqual([{ name }]);
    expect(text).toMatch(/^[\n -~😀]+$/u);
  });

  it('writes an empty JSON array without rows', async () => {
    expect(JSON.parse(await collect(writeJson, ['id']))).toEqual([]);
  });
});
