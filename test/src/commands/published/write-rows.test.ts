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
});

describe('writeJson', () => {
  it('is one array over all batches', async () => {
    const text = await collect(writeJson, ['id', 'name'], [[1, 'a']], [[2, null]]);
    expect(JSON.parse(text)).toEqual([
      { id: 1, name: 'a' },
      { id: 2, name: null },
    ]);
  });

  it('is an empty array without rows', async () => {
    expect(JSON.parse(await collect(writeJson, ['id']))).toEqual([]);
  });
});
