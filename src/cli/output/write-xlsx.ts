import { writeFile } from 'node:fs/promises';
import { formatCount } from '../../../schemas/format.js';
import type { PlainValue } from '../../warehouse/duckdb/plain-value.js';
import type { Rows } from '../../warehouse/duckdb/write-rows.js';
import { zip } from './zip.js';
import { DAY_MS } from '../../base/time/time.js';

// Limits of Excel.
const MOST_ROWS = 1_048_576;
const MOST_LETTERS = 32_767;

/**
 * Writes rows as an Excel workbook (Office Open XML) with one sheet. Numbers, booleans and days have their own types; all
 * other values are text, so a spreadsheet runs no formula.
 * @throws RangeError when there are more rows than a sheet can have
 */
export async function writeXlsx(file: string, { columns, batches }: Rows): Promise<void> {
  const rows: string[] = [renderRow(columns, 1, ' s="1"')];
  for await (const batch of batches) {
    for (const row of batch) {
      if (rows.length >= MOST_ROWS)
        throw new RangeError(`a sheet has at most ${formatCount(MOST_ROWS)} rows; write .csv or .parquet`);
      rows.push(renderRow(row, rows.length + 1));
    }
  }
  const sheet = `${XML}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>${rows.join('')}</sheetData></worksheet>`;
  await writeFile(file, zip({ ...PARTS, 'xl/worksheets/sheet1.xml': sheet }));
}

function renderRow(values: readonly PlainValue[], number: number, style = ''): string {
  const cells = values.map((value, i) => renderCell(value, `${columnName(i)}${number}`, style)).join('');
  return `<row r="${number}">${cells}</row>`;
}

function renderCell(value: PlainValue, at: string, style: string): string {
  if (value === null) return '';
  if (typeof value === 'number') return `<c r="${at}"${style}><v>${value}</v></c>`;
  if (typeof value === 'boolean') return `<c r="${at}" t="b"${style}><v>${value ? 1 : 0}</v></c>`;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const day = style === '' && /^(19|20)\d\d-\d\d-\d\d$/.test(text) ? Date.parse(text) : Number.NaN;
  // Excel counts days from 1899-12-30.
  if (!Number.isNaN(day)) return `<c r="${at}" s="2"><v>${day / DAY_MS + 25_569}</v></c>`;
  return `<c r="${at}" t="inlineStr"${style}><is><t xml:space="preserve">${escapeXml(text.slice(0, MOST_LETTERS))}</t></is></c>`;
}

/** Name of a column, counted from 0: A, B, …, Z, AA. */
export function columnName(index: number): string {
  const letter = String.fromCodePoint(65 + (index % 26));
  return index < 26 ? letter : columnName(Math.floor(index / 26) - 1) + letter;
}

// XML 1.0 cannot contain other control characters, not even escaped.
const NOT_XML = /(?![\t\n\r])[\p{Cc}\p{Cs}\ufffe\uffff]/gu;

function escapeXml(text: string): string {
  return text.replaceAll(NOT_XML, '\ufffd').replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const SCHEMAS = 'http://schemas.openxmlformats.org';
const MAIN = `${SCHEMAS}/spreadsheetml/2006/main`;
const OFFICE = `${SCHEMAS}/officeDocument/2006/relationships`;
const PACKAGE = `${SCHEMAS}/package/2006`;
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** The parts of a workbook that are always the same. Cell formats: 0 plain, 1 bold, 2 day. */
const PARTS = {
  '[Content_Types].xml': `${XML}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${TYPE}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/></Types>`,
  '_rels/.rels': `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="r1" Type="${OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml': `${XML}<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="Result" sheetId="1" r:id="r1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': `${XML}<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="r1" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="${OFFICE}/styles" Target="styles.xml"/></Relationships>`,
  'xl/styles.xml': `${XML}<styleSheet xmlns="${MAIN}"><fonts count="2"><font/><font><b/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf xfId="0"/><xf xfId="0" fontId="1" applyFont="1"/><xf xfId="0" numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`,
};
