import { readFileSync } from 'node:fs';
import path from 'node:path';
import { crc32, inflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { writeMarkdown } from '../../../../src/cli/output/write-markdown.js';
import { columnName, writeXlsx } from '../../../../src/cli/output/write-xlsx.js';
import type { PlainValue } from '../../../../src/warehouse/duckdb/plain-value.js';
import { temporaryDataDir } from '../../../helpers/warehouse.js';

const rowsOf = (columns: string[], ...rows: PlainValue[][]) => ({
  columns,
  batches: (async function* () {
    await Promise.resolve();
    for (const row of rows) yield [row];
  })(),
});

/** Reads a ZIP archive from its central directory, as ZIP programs do. */
function unzip(archive: Buffer): Record<string, string> {
  const end = archive.lastIndexOf('PK\u0005\u0006');
  const files: Record<string, string> = {};
  let at = archive.readUInt32LE(end + 16);
  for (let i = 0; i < archive.readUInt16LE(end + 10); i++) {
    const [nameLength, local] = [archive.readUInt16LE(at + 28), archive.readUInt32LE(at + 42)];
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength);
    expect(archive.toString('latin1', local, local + 4)).toBe('PK\u0003\u0004');
    expect(archive.toString('utf8', local + 30, local + 30 + nameLength)).toBe(name);
    const begin = local + 30 + nameLength;
    const content = inflateRawSync(archive.subarray(begin, begin + archive.readUInt32LE(at + 20)));
    expect(content.length).toBe(archive.readUInt32LE(at + 24));
    expect(crc32(content)).toBe(archive.readUInt32LE(at + 16));
    files[name] = content.toString();
    at += 46 + nameLength;
  }
  expect(at).toBe(end);
  return files;
}

describe('writeXlsx', () => {
  test('writes numbers, days, booleans and texts, and no formula', async () => {
    const file = path.join(temporaryDataDir(), 'a.xlsx');
    const rows = rowsOf(['n', 't'], [1.5, '=1+1 & <b>\u0001'], [null, '2026-11-20'], [true, ['a']]);
    await writeXlsx(file, rows);
    const files = unzip(readFileSync(file));
    expect(Object.keys(files)).toContain('[Content_Types].xml');
    const sheet = files['xl/worksheets/sheet1.xml']!;
    expect(sheet).toContain('<c r="A2"><v>1.5</v></c>');
    expect(sheet).toContain(
      '<c r="B2" t="inlineStr"><is><t xml:space="preserve">=1+1 &amp; &lt;b&gt;\ufffd</t></is></c>',
    );
    // 46,346 days after 1899-12-30.
    expect(sheet).toContain('<row r="3"><c r="B3" s="2"><v>46346</v></c></row>');
    expect(sheet).toContain('<c r="A4" t="b"><v>1</v></c>');
    expect(sheet).not.toContain('<f>');
  });

  test('names columns as spreadsheets do', () => {
    expect([0, 25, 26, 51, 52, 701, 702].map(columnName)).toEqual(['A', 'Z', 'AA', 'AZ', 'BA', 'ZZ', 'AAA']);
  });
});

describe('writeMarkdown', () => {
  const write = async (...args: Parameters<typeof rowsOf>): Promise<string> => {
    let text = '';
    await writeMarkdown(rowsOf(...args), (part) => Promise.resolve(void (text += part)));
    return text;
  };

  test('aligns numbers to the right and escapes Markdown', async () => {
    expect(await write(['n', 'a|b'], [12_345.5, 'x|y\n*z*'])).toBe(
      String.raw`| n | a\|b |
| --: | --- |
| 12345.5 | x\|y \*z\* |
`,
    );
  });

  test('writes a header for no rows', async () => {
    expect(await write(['a'])).toBe('| a |\n| --- |\n');
  });
});
