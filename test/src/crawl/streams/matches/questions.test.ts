import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResolveCompaniesInput } from '../../../../../schemas/pipeline/resolve.js';
import { waysToFind } from '../../../../../src/crawl/streams/matches/ways.js';
import { readCsv, type CsvFault, type CsvRecord } from '../../../../../src/base/csv/read-csv.js';
import { readList } from '../../../../../src/crawl/streams/lists/read-list.js';
import { COMPANIES } from '../../../../../src/crawl/streams/matches/read-questions.js';
import { canonicalJson } from '../../../../../src/base/json/canonical-json.js';
import { MAIL, NETWORK } from '../../../../helpers/known-domains.js';

function read(text: string | Buffer): { records: CsvRecord[]; faults: CsvFault[] } {
  const records: CsvRecord[] = [];
  const faults: CsvFault[] = [];
  readCsv(Buffer.from(text), {
    record: (record) => {
      records.push(record);
      return null;
    },
    fault: (fault) => void faults.push(fault),
  });
  return { records, faults };
}

const questionsOf = (text: string | Buffer) => {
  const { questions, rows, bad, header } = readList(Buffer.from(text), 'list.csv', COMPANIES, true);
  return { questions, rows: rows.length, bad, ignored: header.ignored, alike: header.alike };
};

describe('readCsv', () => {
  it('reads back CSV with any delimiter', () => {
    const row = fc.array(
      fc.string({
        unit: fc.constantFrom('a', '"', ',', ';', '\t', '|', '\n', '\r', ' ', 'é', '\u{1f600}'),
        maxLength: 8,
      }),
      { minLength: 2, maxLength: 4 },
    );
    fc.assert(
      fc.property(
        fc.constantFrom(',', ';', '\t', '|'),
        fc.array(row, { maxLength: 6 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        (delimiter, rows, end) => {
          const written = (one: string[]): string =>
            one.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(delimiter);
          const header = ['h1', 'h2', 'h3'];
          const text = [header.join(delimiter), ...rows.map(written)].join(end) + end;
          const { records, faults } = read(`\ufeff${text}`);
          expect(records.map(({ cells }) => cells)).toEqual([header, ...rows]);
          expect(faults).toEqual([]);
        },
      ),
    );
  });

  it('counts lines like an editor and accepts quotes inside a field', () => {
    const { records, faults } = read('name\r\n\r\n"a\nb",1\nc "d" e\r \r\n "f" , 2 ');
    expect(faults).toEqual([]);
    expect(records).toEqual([
      { line: 1, cells: ['name'] },
      { line: 3, cells: ['a\nb', '1'] },
      { line: 5, cells: ['c "d" e'] },
      { line: 7, cells: ['f', '2'] },
    ]);
  });

  it("finds the delimiter outside quotes or in Excel's sep= line", () => {
    expect(read('"a, b, c";d\n1;2').records.map(({ cells }) => cells)).toEqual([
      ['a, b, c', 'd'],
      ['1', '2'],
    ]);
    expect(read('sep=;\na,b;c\n').records).toEqual([{ line: 2, cells: ['a,b', 'c'] }]);
  });

  it.each([
    ['never closed', '2,"B\n3,C\n4,D\n', 'a quote is opened but never closed'],
    ['closed by the quote of a later row', '2,"B\n3,"C"\n4,D\n', 'has no closing quote'],
    ['not doubled', '2,"B "the" Ltd"\n3,C\n4,D\n', 'has no closing quote'],
    ['never closed, in a file of old line ends', '2,"B\r3,C\r4,D', 'a quote is opened but never closed'],
  ])('names the line of a quote that is %s and keeps the rows after it', (_name, broken, problem) => {
    const { records, faults } = read(`id,name\n1,A\n${broken}`);
    expect(records.map(({ line, cells }) => `${line} ${cells.join()}`)).toEqual([
      '1 id,name',
      '2 1,A',
      '4 3,C',
      '5 4,D',
    ]);
    expect(faults).toEqual([
      { line: 3, problem: expect.stringContaining(problem), text: expect.stringMatching(/^2,"B/) },
    ]);
  });

  it('names the line where the quote was opened', () => {
    const { faults } = read('a,b\n"x\ny","z\n1,2\n');
    expect(faults.map(({ line }) => line)).toEqual([3]);
  });

  it('never reads the rest of a broken row as a row', () => {
    const { records, faults } = read('a,b,c\n1,"x,2\nrest of it\n4,"5"5\n7,8,9\n10\n');
    expect(records.map(({ line }) => line)).toEqual([1, 5, 6]);
    expect(faults.map(({ line }) => line)).toEqual([2, 3, 4]);
  });

  it('accounts for every line of any file, in order', () => {
    const unit = fc.constantFrom('a', '"', '""', ',', '\n', '\r\n', '\r', ' ', ';');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 40 }), (text) => {
        const { records, faults } = read(text);
        const named = [...records, ...faults].map(({ line }) => line);
        expect(new Set(named).size).toBe(named.length);
        const begun = new Set(named);
        // Lines without an entry are empty, or belong to the record before them.
        text.split(/\r\n|\n|\r/).forEach((line, i) => {
          if (!/[^"\s]/.test(line) || begun.has(i + 1)) return;
          // A broken row is named by the line of its opening quote, which may be a later line of the row.
          const next = Math.min(...named.filter((other) => other > i + 1));
          if (faults.some((fault) => fault.line === next)) return;
          const owner = records.findLast((record) => record.line <= i + 1);
          expect(
            owner?.cells.some((cell) => /[\r\n]/.test(cell)),
            `line ${i + 1} of ${JSON.stringify(text)}`,
          ).toBe(true);
        });
      }),
      { numRuns: 2_000, examples: [['"" "\r\n",']] },
    );
  });

  it('reads any bytes without failing', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void read(Buffer.from(bytes))));
  });
});

describe('readList', () => {
  it('recognizes column names, merges equal rows and reports unusable ones', () => {
    const list = [
      'Company Name;Country;Reg. No;Note;Web',
      'Anna & Co;dk;123;x;',
      'Anna & Co;DK;123;y;',
      ';;;only a note;',
      'Bent;Denmark;;;',
      'Carl;;;;carl.example;too much',
    ].join('\n');
    const { questions, rows, bad, ignored } = questionsOf(list);
    expect(questions).toEqual(['{"country_code":"DK","name":"Anna & Co","registration_number":"123"}']);
    expect(rows).toBe(5);
    expect(ignored).toEqual(['Note']);
    expect(bad.map(({ line, problem }) => `${line}: ${problem}`)).toEqual([
      expect.stringMatching(/^4: it has no value that identifies/),
      '5: its country is not a two-letter code: DENMARK',
      '6: it has 6 fields, but the header has 5',
    ]);
  });

  it('rejects numbers that a spreadsheet has changed, and rows with nothing but a placeholder', () => {
    const { questions, bad } = questionsOf(
      [
        'country;reg no;vat;lei;phone;website',
        'DK;1.23457E+11;;;;',
        'DK;;123456.0;;;',
        'DK;;;5.49E+19;;',
        'DK;;;;4,5331E+09;',
        'DK;n/a;#N/A;-;0;',
        `;;;;;https://www.${NETWORK}/firm?ref=x`,
        `;;;;;someone@${MAIL}`,
        'UK;0123456;GB 123 4567 27;;020 7946 0018 x12;HTTPS://Firm.example:443/en?utm_source=x',
        'EL;;"=""012345670""";;;',
      ].join('\n'),
    );
    expect(bad.map(({ line, problem }) => `${line}: ${problem}`)).toEqual([
      '2: its registration number was rounded to scientific notation by a spreadsheet (1.23457E+11), so digits are lost. Format the column as text, and enter the number again',
      expect.stringMatching(/^3: its VAT number was changed to a decimal number by a spreadsheet \(123456\.0\)/),
      expect.stringMatching(/^4: its LEI was rounded/),
      expect.stringMatching(/^5: its phone number was rounded/),
      expect.stringMatching(/^6: it has no value that identifies/),
      '7: its website is a page of a social network or market place, which does not identify a company',
      expect.stringMatching(/^8: it has no value that identifies/),
    ]);
    expect(questions.map((question) => JSON.parse(question) as object)).toEqual([
      {
        country_code: 'GB',
        registration_number: '0123456',
        vat_number: 'GB123456727',
        phone: '02079460018',
        website: 'firm.example/en',
      },
      { country_code: 'GR', vat_number: '012345670' },
    ]);
  });

  it.each([
    ['joins the next row to a name', 'id,name\n1,"A\n2,B\n3,"\n4,D\n'],
    ['makes a row too wide', 'id,name\n1,"A\n2,B",x\n2,B\n4,D\n'],
    ['makes a field too long', `id,name\n1,"A\n2,B${'\n5,E'.repeat(200)}"\n4,D\n`],
  ])('reads the rows after a quote that %s', (_name, list) => {
    const { questions, bad } = questionsOf(list);
    expect(questions).toEqual(expect.arrayContaining(['{"name":"B"}', '{"name":"D"}']));
    expect(bad[0]?.line).toBe(2);
    expect(questions.join()).not.toContain('A');
  });

  it('joins the lines of a name and ignores line breaks in other columns', () => {
    const { questions, bad } = questionsOf('name,note\n"A\nHolding","line, one\nline, two"\n');
    expect(questions).toEqual(['{"name":"A Holding"}']);
    expect(bad).toEqual([]);
  });

  it.each([
    ['UTF-16', Buffer.from('\ufeffname\nA\n', 'utf16le'), 'not UTF-8 text: it begins like UTF-16'],
    ['UTF-16 without a mark', Buffer.from('name\nA\n', 'utf16le'), 'not UTF-8 text: it holds zero bytes'],
    ['Latin-1', Buffer.from('name\nÆble\n', 'latin1'), 'not UTF-8 text: line 2 has bytes of another encoding'],
    ['a workbook', Buffer.from('PK\u0003\u0004…'), 'not UTF-8 text: it is a workbook'],
    ['no content', Buffer.alloc(0), 'is empty'],
    ['no column that identifies', Buffer.from('country,note\nDK,x'), 'names no column that identifies'],
    ['a column twice', Buffer.from('name,country,Name\nA,DK,B'), 'Line 1 of list.csv names the column "Name" twice'],
    ['a header that cannot be read', Buffer.from('name,"country\nA,DK'), 'Line 1 of list.csv, which names the columns'],
  ])('rejects a file with %s', (_name, file, message) => {
    expect(() => readList(file, 'list.csv', COMPANIES, true)).toThrow(message);
  });

  it('names columns with the same meaning and uses the first filled one', () => {
    const { questions, alike } = questionsOf('website,domain\n,b.example\na.example,c.example\n');
    expect(alike).toEqual([['website', 'domain']]);
    expect(questions).toEqual(['{"website":"b.example"}', '{"website":"a.example"}']);
  });

  it('gives a question the same key in any column order', () => {
    expect(canonicalJson({ name: 'A', country_code: 'DK' })).toBe(canonicalJson({ country_code: 'DK', name: 'A' }));
  });
});

describe('waysToFind', () => {
  const kinds = (question: Parameters<typeof waysToFind>[0]): string[] =>
    waysToFind(question).flatMap(({ kind, fallback }) => (fallback ? [] : [kind]));

  it('orders lookups by certainty and skips those without a value', () => {
    expect(
      kinds({
        name: 'A',
        email: 'a@b.example',
        website: 'a.example',
        profile: 'p',
        vat_number: '1',
        country_code: 'DK',
      }),
    ).toEqual(['registration', 'website', 'profile', 'email', 'name']);
    expect(kinds({ ticker: 'ABCDE' })).toEqual(['registration']);
    expect(kinds({ country_code: 'DK' })).toEqual([]);
  });
});

describe('ResolveCompaniesInput', () => {
  it.each(['resolve/a.csv', 'suppliers-2026.csv'])('accepts the file %s', (file) => {
    expect(ResolveCompaniesInput.safeParse({ file }).success).toBe(true);
  });

  it.each(['../a.csv', '/etc/passwd', 'resolve/../../a.csv', 'resolve/.csv', 'a.txt', 'resolve/a/b.csv', ''])(
    'rejects the file %s',
    (file) => {
      expect(ResolveCompaniesInput.safeParse({ file }).success).toBe(false);
    },
  );
});
