import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listBuilds } from '../../src/warehouse/builds/builds.js';
import { showBuild } from '../../src/warehouse/builds/switch.js';
import { buildDir, fileOf } from '../../src/store/data-folder.js';
import { copyCurrentBuild } from '../../src/warehouse/builds/copy-build.js';
import { openStorage } from '../../src/store/open.js';
import { readBlocks, pages } from '../docs/read-pages.js';
import { compiled, ROOT } from '../helpers/processes.js';
import { installPython } from '../helpers/python.js';
import { startGateway, type Gateway } from '../helpers/versitygw.js';
import { startPython, type PythonProgram } from './ask-python.js';
import { prepareOnce } from '../helpers/warehouse.js';
import { membersOf, publishWorld, worldOf } from '../helpers/world-warehouse.js';

/*
 * Runs docs/spark.md: its Python code opens the tables of a copied build over s3a, and its queries must have DuckDB's
 * answers on the same build. Newer versions are copied meanwhile. Installs PySpark from PyPI and jars from Maven.
 */

const KEEP_SECONDS = 86_400;
const PACKAGES = ['pyspark==3.5.6', 'duckdb==1.5.6', 'pytz==2026.6'];
const code = readBlocks().filter(({ file }) => file === 'docs/spark.md');
const queries = code.filter(({ language }) => language === 'sql').map(({ text }) => text.trim());
/** Pairs of expressions in the table of differences. */
const pairs = (pages.get('docs/spark.md')?.split('## Differences')[1] ?? '')
  .split('\n')
  .flatMap((line) => [...line.matchAll(/^\| `([^`]+)` \| `([^`]+)` \|/g)])
  .map(([, duck = '', spark = '']) => [duck, spark] as const);

let gateway: Gateway;
let place: string;
let root: string;
beforeAll(async () => {
  gateway = await startGateway();
  place = `s3://${gateway.bucket}/a prefix+=é`;
  Object.assign(process.env, gateway.env);
  root = mkdtempSync(path.join(tmpdir(), 'tidemark-spark-'));
});
afterAll(async () => {
  await gateway?.remove();
  rmSync(root, { recursive: true, force: true });
});

const prepared = prepareOnce(async (dataDir) => {
  const modelsDir = path.join(dataDir, 'models');
  mkdirSync(path.join(modelsDir, 'marts'), { recursive: true });
  writeFileSync(path.join(modelsDir, 'marts', 'kinds.sql'), KINDS);
  const [id = 0] = membersOf(worldOf(), 0);
  await publishWorld(dataDir, { eachNight: true, modelsDir, more: oddCompany(id) });
});

/** Each type that docs/spark.md names and no other table has. */
const KINDS = `/*
model: marts.kinds
kind: table
version: 1
grain: row
key: [id]
description: Values of many types
columns:
  id: BIGINT | Id
  amount: DECIMAL(18,2) | Decimal
  large: DECIMAL(38,10) | Large decimal
  tiny: TINYINT | Number
  small: SMALLINT | Number
  unsigned_tiny: UTINYINT | Number
  unsigned_small: USMALLINT | Number
  unsigned: UINTEGER | Number
  unsigned_big: UBIGINT | Number
  share: FLOAT | Number
  ratio: DOUBLE | Number
  bytes: BLOB | Bytes
  bits: BIT | Bits
  moment: TIMESTAMP | Time
  nested: 'STRUCT(a INTEGER[], b VARCHAR)[] | Structs'
  named: 'MAP(VARCHAR, INTEGER) | Map'
  text: VARCHAR | Text
*/
SELECT * FROM (VALUES
  (1::BIGINT, 12.30::DECIMAL(18,2), 12345678901234567890.0123456789::DECIMAL(38,10), (-128)::TINYINT, (-5)::SMALLINT,
   255::UTINYINT, 65535::USMALLINT, 4294967295::UINTEGER, 18446744073709551615::UBIGINT, 1.1::FLOAT, 'nan'::DOUBLE,
   '\\x00\\xFF'::BLOB, '101'::BIT, TIMESTAMP '1500-01-01 23:59:59.999999', [{'a': [1, NULL], 'b': 'x'}, NULL],
   MAP {'a': 1, 'b': NULL}, chr(9) || '"''\\;%_' || chr(10) || '😀'),
  (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (3, -0.01, -0.0000000001, 127, 0, 0, 0, 0, 0, -0.0, '-inf', '', '0', TIMESTAMP '9999-12-31 00:00:00', [], MAP {}, '')
) AS t(id, amount, large, tiny, small, unsigned_tiny, unsigned_small, unsigned, unsigned_big, share, ratio, bytes, bits,
  moment, nested, named, text)
`;

/** A record with unusual text and an old date, read before the first night. */
function oddCompany(id: number) {
  const body = {
    ...worldOf().company(id, 0),
    name: 'Łódź "O\'Neil" \\ Søn & Co.;\n{a,b}*? \u2028 اسم 😀 e\u0301',
    founding_date: '1399-02-28',
    company_phone: ['', '+47 1', ';'],
  };
  return [
    { stream: 'companies' as const, entity: String(id), body, at: '2026-07-31T02:00:00.000Z', date: '2026-07-31' },
  ];
}

/** Makes a build current and copies it to the bucket. */
async function copy(dataDir: string, build: string, keepSeconds = KEEP_SECONDS): Promise<void> {
  await showBuild(dataDir, build);
  await copyCurrentBuild(openStorage(place), dataDir, { keepSeconds, what: 'a test' });
}

/** Starts Python with the code of the page. Its zone is not UTC. */
async function startSpark(): Promise<PythonProgram> {
  const file = path.join(root, 'page.py');
  const cli = JSON.stringify([process.execPath, ...compiled([path.join(ROOT, 'bin', 'tidemark.mjs')])]).slice(0, -1);
  const setUp = code
    .filter(({ language }) => language === 'python')
    .map(({ text }) => text.replace('["npx", "tidemark"', cli).replace(/^create_views\(read_views.*$/m, ''))
    .join('\n');
  writeFileSync(file, setUp);
  const python = await installPython('spark', PACKAGES);
  const arguments_ = '--conf spark.ui.enabled=false --conf spark.driver.host=127.0.0.1 --conf spark.log.level=ERROR';
  return startPython(python, [path.join(ROOT, 'test', 'engines', 'spark.py'), file], {
    ...process.env,
    TZ: 'Asia/Tokyo',
    PYSPARK_SUBMIT_ARGS: `${arguments_} pyspark-shell`,
  });
}

it('has ten queries', () => {
  expect(queries).toHaveLength(10);
  expect(pairs.length).toBeGreaterThan(8);
});

it("has DuckDB's answers while new versions are published", async () => {
  const dataDir = prepared();
  const builds = listBuilds(dataDir).map(({ name }) => name);
  const [third = '', second = '', first = ''] = builds;
  const fileOfBuild = (build: string): string => fileOf(buildDir(dataDir, build));
  await copy(dataDir, first);
  const spark = await startSpark();
  const inBoth = queries.map((query) => [query, null]);

  // The version changes after it was read, and again while the queries run.
  expect((await spark.ask({ do: 'read', place })).result).toContain('marts_kinds');
  await copy(dataDir, second);
  expect(await spark.ask({ do: 'create' })).toEqual({ result: null });
  let step = await spark.ask({ do: 'compare', database: fileOfBuild(first), queries: inBoth, step: true });
  let copying: Promise<void> | undefined;
  for (let number = 1; number <= inBoth.length; number++) {
    expect(step).toEqual({ done: number });
    if (number === 2) copying = copy(dataDir, third);
    if (number === 7) await copying;
    step = await spark.send('next');
  }
  expect(step).toEqual({ result: [] });
  const all = { tables: expect.any(Number) as number, differences: [] };
  expect(await spark.ask({ do: 'tables', database: fileOfBuild(first) })).toEqual({ result: all });

  // The answers of another version differ, so the comparison can fail.
  const other = (await spark.ask({ do: 'compare', database: fileOfBuild(third), queries: inBoth })).result as string[];
  expect(other.length).toBeGreaterThan(6);

  // Queries of removed files fail. They have no wrong answers.
  await copy(dataDir, third, 0);
  const stale = await spark.ask({ do: 'compare', database: fileOfBuild(first), queries: inBoth.slice(0, 1) });
  expect(stale.error).toMatch(/FileNotFoundException|does not exist/);

  await spark.ask({ do: 'read', place });
  expect(await spark.ask({ do: 'create' })).toEqual({ result: null });
  const filled = { do: 'compare', database: fileOfBuild(third), queries: inBoth, filled: true };
  expect(await spark.ask(filled)).toEqual({ result: [] });
  const expressions = pairs.map(([duck, inSpark]) => [
    `SELECT company_id, ${duck} FROM core.companies ORDER BY company_id`,
    `SELECT company_id, ${inSpark} FROM core_companies ORDER BY company_id`,
  ]);
  const lists = ['unnest(industries)', 'LATERAL explode(industries)'].map(
    (list, i) => `SELECT slug, industry FROM core${'._'[i]}tenders, ${list} AS t(industry) ORDER BY slug, industry`,
  );
  const request = {
    do: 'compare',
    database: fileOfBuild(third),
    queries: [...expressions, lists],
    types: false,
    filled: true,
  };
  expect(await spark.ask(request)).toEqual({ result: [] });
}, 1_200_000);
