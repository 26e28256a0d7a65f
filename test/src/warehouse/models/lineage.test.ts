import { describe, expect, test } from 'vitest';
import { readLineage, tellLineage } from '../../../../src/warehouse/models/lineage.js';
import { assembleModels } from '../../../../src/warehouse/models/models.js';

const COLUMNS = 'id: BIGINT | Id\n  name: VARCHAR | Name\n  tags: VARCHAR[] | Tags\n  seen: TIMESTAMPTZ | When';

function file(name: string, columns: string, sql: string, incremental = '') {
  const kind = incremental === '' ? 'table' : 'incremental';
  const text = `/*\nmodel: core.${name}\nkind: ${kind}\nversion: 1\ngrain: thing\nkey: [id]\ndescription: Things.\n${incremental}columns:\n  ${columns}\n*/\n${sql}\n`;
  return { name: `core/${name}.sql`, text };
}

const PARENTS = ['a', 'b'].map((name) =>
  file(name, COLUMNS, `SELECT 1::BIGINT AS id, '' AS name, ['']::VARCHAR[] AS tags, now() AS seen`),
);

/** Lineage of the columns of one query over core.a and core.b: `copied core.a.id`, by column. */
async function lineageOf(sql: string, columns: string[], incremental = ''): Promise<Record<string, string>> {
  const described = columns.map((column) => `${column}: VARCHAR | Something`).join('\n  ');
  const { models } = await assembleModels([...PARENTS, file('c', described, sql, incremental)], []);
  const lineage = (await readLineage(models)).get('core.c') ?? new Map();
  return Object.fromEntries([...lineage].map(([column, { lineage: how, from }]) => [column, [how, ...from].join(' ')]));
}

describe('lineage', () => {
  test.each<[what: string, sql: string, expected: Record<string, string>]>([
    [
      'stars, aliases, casts, expressions and constants',
      `SELECT a.* EXCLUDE (tags, seen), CAST(id AS VARCHAR) AS text, upper(name) || id AS both, 1 AS one FROM core.a AS a`,
      {
        id: 'copied core.a.id',
        name: 'copied core.a.name',
        text: 'copied core.a.id',
        both: 'derived core.a.id core.a.name',
        one: 'made',
      },
    ],
    [
      'CTEs used twice, joins and filters',
      `WITH t AS MATERIALIZED (SELECT id, name AS n FROM core.a WHERE seen > now()), u AS (SELECT * FROM t)
       SELECT t.n, u.id, b.name, b.tags[1] AS tag FROM t JOIN u USING (id) LEFT JOIN core.b AS b ON b.id = t.id ANTI JOIN core.b AS c ON c.name = b.name`,
      { n: 'copied core.a.name', id: 'copied core.a.id', name: 'copied core.b.name', tag: 'derived core.b.tags' },
    ],
    [
      'set operations over one or several columns',
      `SELECT id, name AS x, seen FROM core.a UNION ALL SELECT id, NULL, seen FROM core.b UNION ALL SELECT id, 'y', seen FROM core.b`,
      { id: 'derived core.a.id core.b.id', x: 'derived core.a.name', seen: 'derived core.a.seen core.b.seen' },
    ],
    [
      'aggregates, windows and ranks',
      `SELECT id, count(*) AS n, max(name) FILTER (seen > now()) AS last, lag(id) OVER (ORDER BY max(seen)) AS before, row_number() OVER (ORDER BY max(name)) AS place
       FROM core.a GROUP BY id`,
      {
        id: 'copied core.a.id',
        n: 'made',
        last: 'derived core.a.name core.a.seen',
        before: 'derived core.a.id',
        place: 'derived core.a.name',
      },
    ],
    [
      'lists, lambdas, structs, unnest',
      `SELECT list_transform(tags, lambda t: t || name) AS l, {'i': id}.i AS i, unnest(tags) AS u FROM core.b`,
      { l: 'derived core.b.name core.b.tags', i: 'derived core.b.id', u: 'derived core.b.tags' },
    ],
    [
      'correlated subqueries, IN and EXISTS',
      `SELECT id, (SELECT max(b.name) FROM core.b AS b WHERE b.id = a.id) AS latest, EXISTS (FROM core.b AS b WHERE b.seen = a.seen) AS known,
         id IN (SELECT id FROM core.b) AS listed FROM core.a AS a`,
      {
        id: 'copied core.a.id',
        latest: 'derived core.b.name',
        known: 'derived core.a.seen',
        listed: 'derived core.a.id core.b.id',
      },
    ],
    [
      'a recursive CTE',
      `WITH RECURSIVE r AS (SELECT id, name FROM core.a UNION ALL SELECT r.id + 1, b.name FROM r JOIN core.b AS b ON b.id = r.id) SELECT id, name FROM r`,
      { id: 'derived core.a.id', name: 'derived core.a.name core.b.name' },
    ],
    [
      'samples, limits, orders and distinct rows',
      `SELECT * FROM (SELECT DISTINCT id, name FROM core.a USING SAMPLE 5 ROWS) ORDER BY name LIMIT 3`,
      { id: 'copied core.a.id', name: 'copied core.a.name' },
    ],
    [
      'EXCEPT and rows of values',
      `SELECT id, y FROM (SELECT id FROM core.a EXCEPT SELECT id FROM core.b) CROSS JOIN (VALUES (1)) AS v(y)`,
      { id: 'copied core.a.id', y: 'made' },
    ],
    [
      'macros and ledger tables',
      `SELECT json_text(body) AS text, stream FROM ledger.run_records ORDER BY market LIMIT 5`,
      { text: 'derived ledger.run_records.body', stream: 'copied ledger.run_records.stream' },
    ],
  ])('finds the lineage of %s', async (_, sql, expected) => {
    expect(await lineageOf(sql, Object.keys(expected))).toEqual(expected);
  });

  test('follows the keys of an incremental model to their source', async () => {
    const incremental = 'incremental:\n  by: [id]\n  changed: SELECT id FROM core.b\n  all: SELECT id FROM core.a\n';
    expect(await lineageOf('SELECT id, name FROM changed JOIN core.b USING (id)', ['id', 'name'], incremental)).toEqual(
      {
        id: 'copied core.a.id',
        name: 'copied core.b.name',
      },
    );
  });

  test('finds no lineage for SQL that cannot be bound', async () => {
    expect(await lineageOf('SELECT nothing AS id FROM core.a', ['id'])).toEqual({ id: 'unknown' });
  });
});

describe('tellLineage', () => {
  const columns = (n: number) => Array.from({ length: n }, (_, i) => `core.a.c${i}`);

  test.each([
    [{}, ''],
    [{ lineage: 'unknown', from: [] }, ''],
    [{ lineage: 'made', from: [] }, 'made'],
    [{ lineage: 'copied', from: ['core.a.id'] }, 'core.a.id'],
    [{ lineage: 'derived', from: ['core.a.x', 'core.a.y', 'ops.b.z'] }, 'derived: core.a (x, y), ops.b (z)'],
    [{ lineage: 'derived', from: columns(8) }, 'derived: core.a (c0, c1, c2, c3, c4, c5, c6, c7)'],
    [{ lineage: 'derived', from: columns(10) }, 'derived: core.a (c0, c1, c2, c3, c4, c5, c6, c7 and 2 more)'],
  ] as const)('writes %j', (lineage, text) => {
    expect(tellLineage({ ...lineage, from: [...('from' in lineage ? lineage.from : [])] })).toBe(text);
  });

  test('formats the table names of a lineage', () => {
    expect(tellLineage({ lineage: 'derived', from: ['core.a.x'] }, (name) => `<${name}>`)).toBe(
      'derived: <core.a> (x)',
    );
    expect(tellLineage({ lineage: 'copied', from: ['core.a.x'] }, (name) => `<${name}>`)).toBe('<core.a.x>');
  });
});
