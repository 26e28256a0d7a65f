import { describe, expect, it } from 'vitest';
import type { PlainValue } from '../../../../src/warehouse/plain-value.js';
import { writeCsv, writeJson } from '../../../../src/commands/published/write-rows.js';

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
  it('quotes what has to be quoted and tells NULL from an empty text', async () => {
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
    '\t=1',
    '\r=1',
    '\n=1',
    '  =1',
    '\u0000=1',
    '＝1',
    '+45 12 34 56 78',
    '-',
    '-1;2',
  ])('keeps a spreadsheet from running %j, and says it exactly when asked', async (text) => {
    const bare = (written: string): string => (written.startsWith('"') ? written.slice(1, -1) : written);
    expect(bare(await cell(text))).toBe(`'${text}`);
    expect(bare(await cell(text, true))).toBe(text);
  });

  it.each([-5, -1.5e-7, '-12345678901234567890', '+7', '-0.5', -Infinity, '-Infinity', 'a=1', 'x@y.example', ['=1']])(
    'leaves %j as it is',
    async (value) => {
      const text = Array.isArray(value) ? '"[""=1""]"' : String(value);
      expect(await cell(value)).toBe(text);
    },
  );

  it('guards the head, too, and quotes what some spreadsheets split at', async () => {
    expect(await collect(writeCsv, ['=a', 'b;c'], [[['x\ty', 'x;=1']]].flat())).toBe(`'=a,"b;c"\r\n"x\ty","x;=1"\r\n`);
  });
});

describe('writeJson', () => {
  it('is one array over all batches', async () => {
    const text = await collect(writeJson, ['id', 'name'], [[1, 'a']], [[2, null]]);
    expect(JSON.parse(text)).toEqual([
      { id: 1, name: 'a' },
      { id: 2, name: null },
    ]);
  });

  it('says exactly what is there without a character that a terminal would obey', async () => {
    const name = 'a\u0000\u001b[2J\u009b31m\u202e😀\ud800\r\n';
    const text = await collect(writeJson, ['name'], [[name]]);
    expect(JSON.parse(text)).toEqual([{ name }]);
    expect(text).toMatch(/^[\n -~😀]+$/u);
  });

  it('is an empty array without rows', async () => {
    expect(JSON.parse(await collect(writeJson, ['id']))).toEqual([]);
  });
});
