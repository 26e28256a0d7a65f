import { describe, expect, it } from 'vitest';
import { renderTable } from '../../../../src/cli/terminal/table.js';

describe('renderTable', () => {
  it('aligns numbers at the decimal point and shows NULL as empty', () => {
    const table = renderTable({
      columns: ['country', 'companies', 'share'],
      rows: [
        ['GB', 12_345, 86.7],
        ['NL', 731, 84],
        [null, null, null],
      ],
    });
    expect(table.split('\n')).toEqual([
      'country  companies  share',
      '─────────────────────────',
      'GB          12,345   86.7',
      'NL             731   84.0',
      '',
    ]);
  });

  it('groups digits of quantities, but not of ids and years', () => {
    const table = renderTable({
      columns: ['company_id', 'year', 'turnover'],
      rows: [[1_000_006, 2025, 4_856_060_102n]],
    });
    expect(table.split('\n')[2]).toBe('   1000006  2025  4,856,060,102');
  });

  it('aligns columns with double-width letters', () => {
    const [, , first, second] = renderTable({
      columns: ['name', 'n'],
      rows: [
        ['새벽', 1],
        ['Dawn', 2],
      ],
    }).split('\n');
    expect(first).toBe('새벽  1');
    expect(second).toBe('Dawn  2');
  });

  it('cuts the widest cells first to fit the terminal', () => {
    const rows = [['x'.repeat(80), 'y'.repeat(20), 7]];
    const lines = renderTable({ columns: ['long', 'middle', 'n'], rows }, { width: 50 }).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBe(50);
    expect(lines[2]).toMatch(/^x+…  y{20}  7$/);
  });

  it('wraps a column of sentences instead of cutting it', () => {
    const rows = [['companies', 12, 'one request for each company that is due']];
    const data = { columns: ['stream', 'requests', 'based on'], rows };
    expect(renderTable(data, { width: 40, wrap: ['based on'] }).split('\n')).toEqual([
      'stream     requests  based on',
      '────────────────────────────────────────',
      'companies        12  one request for',
      '                     each company that',
      '                     is due',
    ]);
  });

  it('shows each row as a block when the columns do not fit side by side', () => {
    const columns = ['company', 'registration', 'status', 'note'];
    const rows = [['x'.repeat(20), 'y'.repeat(20), null, 'a long note with words']];
    expect(renderTable({ columns, rows }, { width: 34 }).split('\n')).toEqual([
      '── 1 ─────────────────────',
      `company       ${'x'.repeat(20)}`,
      `registration  ${'y'.repeat(20)}`,
      'note          a long note with',
      '              words',
    ]);
  });

  it('escapes control characters in cells', () => {
    const shown = (text: string) => renderTable({ columns: ['name'], rows: [[text]] }).split('\n')[2];
    expect(shown('a\u001b[31mred\nb')).toBe(String.raw`a\u001b[31mred b`);
    expect(shown('\u009b31m \u202eevil\u2066 \ud800 \u0000')).toBe(
      String.raw`\u009b31m \u202eevil\u2066 \ud800 \u0000`,
    );
    expect(shown('Ünïcode 😀 e\u0301 क्\u200dष عرب')).toBe('Ünïcode 😀 e\u0301 क्\u200dष عرب');
  });

  it('shows lists, records and an empty result', () => {
    const rows = [[['a', 'b'], { one: 1 }]];
    expect(renderTable({ columns: ['list', 'record'], rows }).split('\n')[2]).toBe('a, b  {"one":1}');
    expect(renderTable({ columns: ['list'], rows: [] })).toBe('list\n────');
  });
});
