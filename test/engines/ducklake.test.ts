import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { ROOT } from '../helpers/processes.js';
import { installPython } from '../helpers/python.js';
import { hasPostgres, startPostgres } from './postgres.js';

/* Tries why DuckLake is left out (docs/decisions/0017-table-formats.md). If this fails, DuckLake may have become safe. */

const VERSION = '1.5.5';
const PACKAGES = ['duckdb', 'duckdb-extension-ducklake', 'duckdb-extension-postgres-scanner'];

it.skipIf(!hasPostgres())(
  'DuckLake deletes published files, and files of another writer',
  async () => {
    const python = await installPython('ducklake', [...PACKAGES.map((name) => `${name}==${VERSION}`), 'pytz==2026.6']);
    const postgres = await startPostgres();
    const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-ducklake-'));
    onTestFinished(() => {
      postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    });
    const catalog = `dbname=postgres host=127.0.0.1 port=${postgres.port} user=test`;
    const script = path.join(ROOT, 'test', 'engines', 'ducklake.py');
    const { stdout } = await promisify(execFile)(python, [script, catalog, folder], {
      env: { ...process.env, HOME: folder },
    });
    expect(JSON.parse(stdout)).toEqual({
      value: '2',
      before: [true, true],
      after: [false, false],
      orphans: 'the file is gone',
      table: 5_000,
      files: 7_000,
    });
  },
  600_000,
);
