import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResolveCompaniesInput } from '../../../schemas/pipeline/resolve.js';
import { waysToFind } from '../../../src/resolve/identify.js';
import { parseCsv } from '../../../src/resolve/parse-csv.js';
import { identifies, questionKey, readQuestions } from '../../../src/resolve/read-questions.js';

const cells = (text: string): string[][] => parseCsv(text).map((record) => record.cells);

describe('parseCsv', () => {
  it('reads back whatever was written, with any delimiter', () => {
    const row = fc.array(
      fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\t', '\n', '\r', ' ', 'é', '\u{1f600}'), maxLength: 8 }),
      { minLength: 2, maxLength: 4 },
    );
    fc.assert(
      fc.property(
        fc.constantFrom(',', ';', '\t'),
        fc.array(row, { maxLength: 6 }),
        fc.constantFrom('\n', '\r\n'),
        (delimiter, rows, end) => {
          const written = (one: string[]): string =>
            one.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(delimiter);
          const header = ['h1', 'h2', 'h3'];
          const text = [header.join(delimiter), ...rows.map(written)].join(end) + end;
          expect(cells(`\ufeff${text}`)).toEqual([header, ...rows]);
        },
      ),
    );
  });

  it('counts lines as an editor does, and takes what is not quite right', () => {
    expect(parseCsv('name\n\n"a\nb",1\nc "d" e\n"open')).toEqual([
      { line: 1, cells: ['name'] },
      { line: 3, cells: ['a\nb', '1'] },
      { line: 5, cells: ['c "d" e'] },
      { line: 6, cells: ['open'] },
    ]);
  });

  it('ends on anything', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => void parseCsv(text)));
  });
});

describe('readQuestions', () => {
  it('knows what people call the columns, makes equal rows one, and names rows it cannot ask', () => {
    const list = [
      'Company Name;Country;Reg. No;Note;Web',
      'Anna & Co;dk;123;x;',
      'Anna & Co;DK;123;y;',
      ';;;only a note;',
      'Bent;Denmark;;;',
      'Carl;;;;carl.example;too much',
    ].join('\n');
    const { questions, rows, bad, ignored } = readQuestions(list);
    expect(questions).toEqual(['{"country_code":"DK","name":"Anna & Co","registration_number":"123"}']);
    expect(rows).toBe(5);
    expect(ignored).toEqual(['Note']);
    expect(bad.map(({ line, problem }) => `${line}: ${problem}`)).toEqual([
      expect.stringMatching(/^4: nothing in it identifies/),
      '5: its country is no two-letter code: DENMARK',
      '6: it has 6 fields, the header 5',
    ]);
    expect(identifies(list)).toBe(true);
    expect(identifies('country,note\nDK,x')).toBe(false);
  });

  it('gives a question the same key whatever the order of its columns', () => {
    expect(questionKey({ name: 'A', country_code: 'DK' })).toBe(questionKey({ country_code: 'DK', name: 'A' }));
  });
});

describe('waysToFind', () => {
  const kinds = (question: Parameters<typeof waysToFind>[0]): string[] => waysToFind(question).map(([kind]) => kind);

  it('asks the surest first, and nothing it has nothing for', () => {
    expect(
      kinds({
        name: 'A',
        email: 'a@a.example',
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

describe('the input of resolveCompanies', () => {
  it.each(['resolve/a.csv', 'suppliers-2026.csv'])('takes %s', (file) => {
    expect(ResolveCompaniesInput.safeParse({ file }).success).toBe(true);
  });

  it.each(['../a.csv', '/etc/passwd', 'resolve/../../a.csv', 'resolve/.csv', 'a.txt', 'resolve/a/b.csv', ''])(
    'refuses %s',
    (file) => {
      expect(ResolveCompaniesInput.safeParse({ file }).success).toBe(false);
    },
  );
});
