import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { publishedFile } from '../../src/store/data-folder.js';
import { copyCurrentBuild } from '../../src/warehouse/builds/copy-build.js';
import { openStorage } from '../../src/store/open.js';
import { readBlocks } from '../docs/read-pages.js';
import { ROOT } from '../helpers/processes.js';
import { installPython } from '../helpers/python.js';
import { startGateway, type Gateway } from '../helpers/versitygw.js';
import { prepareOnce } from '../helpers/warehouse.js';
import { publishWorld } from '../helpers/world-warehouse.js';

/* Runs the Python code of docs/object-storage.md against a bucket of versitygw. Installs the engines from PyPI. */

const PACKAGES = [
  'boto3==1.44.5',
  'chdb==4.4.0',
  'duckdb==1.5.5',
  'duckdb-extension-httpfs==1.5.5',
  'polars==1.44.2',
  'pyarrow==26.0.1',
  'pytz==2026.6',
];
const run = promisify(execFile);
const prepared = prepareOnce((dataDir) => publishWorld(dataDir, { eachNight: true }));

let gateway: Gateway;
let root: string;
beforeAll(async () => {
  gateway = await startGateway();
  Object.assign(process.env, gateway.env);
  root = mkdtempSync(path.join(tmpdir(), 'tidemark-engines-'));
});
afterAll(async () => {
  await gateway?.remove();
  rmSync(root, { recursive: true, force: true });
});

it('the code for Polars, httpfs and ClickHouse reads all rows of all tables', async () => {
  const dataDir = prepared();
  const prefix = 'a prefix+=é';
  const place = `s3://${gateway.bucket}/${prefix}`;
  await copyCurrentBuild(openStorage(place), dataDir, { keepSeconds: 86_400, what: 'a test' });
  const host = new URL(gateway.env.AWS_ENDPOINT_URL).host;
  const replaced = [
    ['"my-bucket", "tidemark"', JSON.stringify(gateway.bucket) + `, "${prefix}"`],
    ['https://s3.example.com', gateway.env.AWS_ENDPOINT_URL],
    ["ENDPOINT 's3.example.com'", `ENDPOINT '${host}', USE_SSL false`],
  ] as const;
  let code = readBlocks()
    .filter(({ file, language }) => file === 'docs/object-storage.md' && language === 'python')
    .map(({ text }) => text)
    .join('\n');
  for (const [text, by] of replaced) {
    expect(code).toContain(text);
    code = code.replaceAll(text, by);
  }
  const file = path.join(root, 'page.py');
  writeFileSync(file, code);
  const python = await installPython('engines', PACKAGES);
  const { stdout } = await run(
    python,
    [path.join(ROOT, 'test', 'engines', 'engines.py'), file, publishedFile(dataDir)],
    {
      // DuckDB keeps its extensions in the home folder.
      env: { ...process.env, HOME: root },
    },
  );
  const none = { polars: [], httpfs: [], clickhouse: [] };
  expect(JSON.parse(stdout)).toEqual({ tables: expect.any(Number) as number, wrong: none });
  expect((JSON.parse(stdout) as { tables: number }).tables).toBeGreaterThan(60);
}, 1_200_000);
