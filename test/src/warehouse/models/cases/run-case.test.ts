import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readCases } from '../../../../../src/warehouse/models/cases/read-cases.js';
import { CaseRunner, type CaseResult } from '../../../../../src/warehouse/models/cases/run-case.js';

let folder: string;
beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'case-files-'))));
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, text: string): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const CASE = (name: string): string => `- { name: ${name}, given: [], expect: [{ query: SELECT 1, rows: [] }] }\n`;
const namesOf = (...places: string[]): string[] => readCases(places).map(({ name }) => name);

describe('readCases', () => {
  test('reads case files and folders recursively, each file once', () => {
    const file = write('b/one.yml', CASE('third') + CASE('fourth'));
    write('b/notes.txt', 'no case');
    write('a.yaml', CASE('first'));
    write('b/empty.yaml', '');
    mkdirSync(path.join(folder, 'c.yaml'));
    expect(namesOf(folder, file)).toEqual(['first', 'third', 'fourth']);
    expect(namesOf(file)).toEqual(['third', 'fourth']);
    expect(readCases([file])[0]?.file).toBe(path.relative('.', file));
  });

  test('reads the cases of this checkout by default', () => {
    expect(namesOf()).toEqual(expect.arrayContaining(namesOf('test/sql/cases')));
  });

  test.each([
    ['no case', '', /^No test case was found in /],
    ['no list', 'name: a', /x\.yaml is not a valid case file: .*array/s],
    ['no YAML', '- {', /x\.yaml is not a valid case file: /],
    ['a key that does not exist', CASE('a').replace('given:', 'gives:'), /x\.yaml is not a valid case file: .*gives/s],
    [
      'an answer without body',
      '- { name: a, given: [{ stream: companies }], expect: [{ query: a, rows: [] }] }',
      /must be the body of the answer/,
    ],
    [
      'a case of one model with queries',
      `${CASE('a').slice(0, -3)}, model: core.a }`,
      /x\.yaml is not a valid case file: /,
    ],
  ])('refuses a case file with %s', (_, text, message) => {
    const file = write('x.yaml', text);
    expect(() => readCases([file])).toThrow(message);
  });

  test('refuses a path that does not exist', () => {
    expect(() => readCases([folder, path.join(folder, 'nowhere')])).toThrow(/nowhere does not exist\.$/);
  });
});

async function run(text: string, modelsDir?: string): Promise<CaseResult> {
  const [first] = readCases([write('x.yaml', text)]);
  if (first === undefined) throw new Error('no case');
  const runner = new CaseRunner(modelsDir);
  try {
    return await runner.run(first);
  } finally {
    await runner.close();
  }
}

const failuresOf = async (text: string) => (await run(text)).failures;

describe('a case of rows', () => {
  const rows = (expected: string, input = 'core.tenders', more = '') => `
- name: rows
  model: marts.tender_pipeline
  given:
    - { input: ${input}, rows: [{ slug: t1, status: Accepting bids, deadline_date: '2099-01-02' }, { slug: t2, deadline_date: '2099-01-03'${more} }] }
  expect: { rows: ${expected} }
`;

  test('compares the expected columns in any order', async () => {
    expect(await run(rows(`[{ slug: t2 }, { slug: t1 }]`))).toEqual({
      file: expect.stringContaining('x.yaml') as string,
      name: 'rows',
      failures: [],
    });
    expect(await failuresOf(rows(`[{ slug: t1 }]`))).toEqual([
      {
        query: 'FROM marts.tender_pipeline',
        error: null,
        differences: [{ kind: 'surplus', row: 2, actual: { slug: 't2' } }],
        reordered: false,
      },
    ]);
  });

  test('finds no rows of an earlier case, whether that case passed or failed', async () => {
    const empty = '- { name: empty, model: marts.tender_pipeline, given: [], expect: { rows: [] } }\n';
    const cases = readCases([
      write('x.yaml', rows(`[{ slug: t1 }, { slug: t2 }]`) + empty + rows('[]', 'core.companies') + empty),
    ]);
    const runner = new CaseRunner();
    try {
      const failures: number[] = [];
      for (const one of cases) failures.push((await runner.run(one)).failures.length);
      expect(failures).toEqual([0, 0, 1, 0]);
    } finally {
      await runner.close();
    }
  });

  test.each([
    [
      'a table that the model does not read',
      rows('[]', 'core.companies'),
      'marts.tender_pipeline does not read core.companies: it reads core.tenders',
    ],
    [
      'a column that the table lacks',
      rows('[]', 'core.tenders', ', colour: red'),
      'core.tenders has no column colour.',
    ],
    [
      'a model that does not exist',
      rows('[]').replace('marts.tender_pipeline', 'marts.nothing'),
      'There is no model marts.nothing.',
    ],
  ])('reports %s in a case of rows', async (_, text, message) => {
    expect(await failuresOf(text)).toEqual([
      { query: null, error: expect.stringContaining(message) as string, differences: [], reordered: false },
    ]);
  });
});

test('a case of rows fills loaded tables and builds all incremental keys', async () => {
  const [head, body] = [
    '/*\nmodel: marts.own\nkind: incremental\nversion: 1\ngrain: thing\nkey: [id]\ndescription: Things.\n',
    'incremental:\n  by: [id]\n  changed: SELECT 1::BIGINT AS id WHERE false\n  all: SELECT part AS id FROM ledger.loaded_parts\n',
  ];
  write('models/marts/own.sql', `${head}${body}columns:\n  id: VARCHAR | Id\n*/\nSELECT id FROM changed\n`);
  const text = `
- name: own
  model: marts.own
  given: [{ input: ledger.loaded_parts, rows: [PART] }]
  expect: { rows: [{ id: p1 }] }
`.replace('PART', "{ stream: companies, date: '2026-11-01', run: r, part: p1, sha256: h, rows: 1, rejects: 0 }");
  expect((await run(text, path.join(folder, 'models'))).failures).toEqual([]);
});

test('cases of rows and of answers use own macros and seeds', async () => {
  write('models/macros/words.sql', 'CREATE MACRO word_of(i) AS (SELECT max(word) FROM seed_words WHERE id = i);');
  write('models/seeds/words.csv', 'id,word\n1,one\n');
  write('models/seeds/words.yml', 'columns:\n  id: BIGINT\n');
  const head = '/*\nmodel: marts.own\nkind: table\nversion: 1\ngrain: thing\nkey: [id]\ndescription: Things.\n';
  const columns = 'columns:\n  id: BIGINT | Id\n  word: VARCHAR | Word\n*/\n';
  write(
    'models/marts/own.sql',
    `${head}${columns}SELECT company_id AS id, word_of(company_id) AS word FROM core.companies\n`,
  );
  const rows = `
- name: rows
  model: marts.own
  given: [{ input: core.companies, rows: [{ company_id: 1 }, { company_id: 2 }] }]
  expect: { rows: [{ id: '1', word: one }, { id: '2', word: WORD }] }
`;
  const folders = path.join(folder, 'models');
  expect((await run(rows.replace('WORD', 'null'), folders)).failures).toEqual([]);
  expect((await run(rows.replace('WORD', 'two'), folders)).failures).toHaveLength(1);
  const answers = `
- name: answers
  given: [{ stream: companies, entity: '1', body: { id: 1, name: A } }]
  expect: [{ query: FROM marts.own, rows: [{ id: '1', word: one }] }]
`;
  expect((await run(answers, folders)).failures).toEqual([]);
});

describe('a case of answers', () => {
  const answers = (expected: string): string => `
- name: answers
  given:
    - { stream: nomenclatures, entity: v1, request: GET /v1/finder/nomenclatures, body: {} }
    - { stream: tender_details, entity: t1, body: { slug: t1, contacts: { email: [{ type: office, name: b, id: 1 }, { type: office, name: a, id: 2 }] } } }
  later:
    - { stream: tender_details, entity: t2, at: '2026-11-21T02:00:00Z', body: { slug: t2, contacts: { name: [{ type: office, name: c, id: 3 }] } } }
  expect:
${expected}
`;
  const SORTED = `    - { query: FROM core.tender_contacts SELECT name ORDER BY name DESC, rows: [{ name: c }, { name: b }, { name: a }] }`;

  test('builds only the tables of its queries, before and after later answers', async () => {
    const others = `    - { query: "SELECT count(*)::INTEGER AS n FROM base.models WHERE table_name = 'core.companies'", rows: [{ n: 0 }] }`;
    expect(await failuresOf(answers(`${SORTED}\n${others}`))).toEqual([]);
  });

  test('reports rows in another order and continues after a failed query', async () => {
    const failures = await failuresOf(
      answers(
        `${SORTED.replace(' DESC', '')}\n    - { query: SELECT nothing FROM core.tender_contacts, rows: [] }\n${SORTED}`,
      ),
    );
    expect(failures).toMatchObject([
      { query: 'FROM core.tender_contacts SELECT name ORDER BY name', error: null, reordered: true },
      {
        query: 'SELECT nothing FROM core.tender_contacts',
        error: expect.stringContaining('nothing') as string,
        differences: [],
      },
    ]);
  });

  test("builds the user's models and reports one that fails", async () => {
    const model = (sql: string): string =>
      `/*\nmodel: marts.own\nkind: table\nversion: 1\ngrain: thing\nkey: [id]\ndescription: Things.\ncolumns:\n  id: BIGINT | Id\n*/\n${sql}\n`;
    const text = '- { name: own, given: [], expect: [{ query: FROM marts.own, rows: [{ id: "7" }] }] }';
    write('models/marts/own.sql', model('SELECT 7::BIGINT AS id'));
    expect((await run(text, path.join(folder, 'models'))).failures).toEqual([]);
    write('models/marts/own.sql', model(`SELECT error('broken')::BIGINT AS id`));
    expect((await run(text, path.join(folder, 'models'))).failures).toMatchObject([
      { query: null, error: expect.stringContaining('broken') as string },
    ]);
  });
});
