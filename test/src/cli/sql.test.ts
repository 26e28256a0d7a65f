import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { tableFromIPC } from 'apache-arrow';
import { describe, expect, test } from 'vitest';
import { openWarehouse } from '../../../src/warehouse/duckdb/open.js';
import { publish } from '../../../src/warehouse/publish/publish.js';
import { cleanEnv, compiled, ROOT } from '../../helpers/processes.js';
import { hasPty, runInPty } from '../../helpers/pty.js';
import { runCli } from '../../helpers/run-cli.js';
import { prepareBuilt, prepareOnce } from '../../helpers/warehouse.js';
import { Data } from '../../../src/store/data.js';

const CLI = path.join(ROOT, 'bin', 'tidemark.mjs');
const prepared = prepareOnce(async (dataDir) => {
  await prepareBuilt(dataDir, [{ stream: 'companies', entity: '1', body: { id: 1, name: 'Alfa' } }]);
  const warehouse = await openWarehouse(new Data(dataDir));
  await publish(warehouse, dataDir, { run: 'r', now: new Date('2026-11-21T00:00:00Z') });
  await warehouse.close();
  writeFileSync(path.join(dataDir, 'tidemark.yaml'), 'api: { baseUrl: "http://127.0.0.1:1" }\ndata: .\n');
});

const bigIntsAsNumbers = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? Number(value) : value);

describe('tidemark sql', () => {
  test('runs the statements of a file and of standard input', async () => {
    const cwd = prepared();
    writeFileSync(path.join(cwd, 'two.sql'), "SELECT name AS n FROM core.companies; -- first\nSELECT ';' AS s;");
    const { stdout, code } = await runCli(['sql', '-f', 'two.sql', '--format', 'markdown'], { cwd });
    expect([code, stdout]).toEqual([0, '| n |\n| --- |\n| Alfa |\n| s |\n| --- |\n| ; |\n']);
    const [node, ...args] = [process.execPath, ...compiled([CLI, 'sql', '--format', 'csv'])];
    const piped = execFileSync(node, args, { cwd, env: cleanEnv({}), input: 'SELECT 1 AS a;\nSELECT 2 AS b' });
    expect(piped.toString()).toBe('a\r\n1\r\nb\r\n2\r\n');
  });

  test.each(['csv', 'json', 'markdown', 'arrow'])('fails if a query fails after its first rows, %s', async (format) => {
    const cwd = prepared();
    const sql = `SELECT CASE WHEN i = 300000 THEN error('broken row') ELSE i END AS i FROM range(600000) r(i)`;
    const printed = await runCli(['sql', sql, '--format', format], { cwd });
    expect(printed.code).toBe(1);
    expect(printed.stdout).not.toBe('');
    expect(printed.stderr.trim().split('\n').slice(-2).join(' ')).toContain('broken row');
    const written = await runCli(['sql', sql, '--out', `rows.${format === 'markdown' ? 'md' : format}`], { cwd });
    expect(written.code).toBe(1);
    expect(readdirSync(cwd).filter((file) => file.includes('rows'))).toEqual([]);
  });

  test.runIf(hasPty())('writes no control sequence of the data to a terminal', async () => {
    const cwd = prepared();
    const sql = `SELECT chr(27) || '[31mred' || chr(27) || ']0;title' || chr(7) || chr(13) AS v`;
    for (const format of ['csv', 'json', 'markdown', 'table']) {
      const command = [process.execPath, ...compiled([CLI, 'sql', sql, '--format', format])];
      const pty = runInPty(command, { columns: 120, cwd, env: cleanEnv({ NO_COLOR: '1' }) });
      expect(await pty.ended).toBe(0);
      expect(pty.raw()).toMatch(/\\?u001b\\?\[31mred/);
      expect(pty.raw()).not.toContain('\u001b');
      expect(pty.raw()).not.toContain('\u0007');
    }
  });

  test('says that there are no rows, and refuses --out for two statements', async () => {
    const cwd = prepared();
    const none = await runCli(['sql', 'FROM core.companies WHERE false'], { cwd });
    expect(none.stderr).toBe('(0 rows)\n');
    const two = await runCli(['sql', 'SELECT 1; SELECT 2', '--out', 'x.csv'], { cwd });
    expect(two.stderr).toContain('--out writes the rows of one query, but there are 2 statements.');
    expect([two.code, existsSync(path.join(cwd, 'x.csv'))]).toEqual([2, false]);
  });

  test('writes an Arrow file', async () => {
    const cwd = prepared();
    const values = `1 AS i, 'ä' AS t, NULL::DOUBLE AS n, 1.25::DECIMAL(9, 2) AS d, [1, 2] AS l, {a: 'x'} AS s,
      TIMESTAMPTZ '2026-11-20 02:00:00+00' AS at, DATE '2026-11-20' AS day`;
    const { stderr, code } = await runCli(
      ['sql', `SELECT ${values}, range AS r FROM range(5000)`, '--out', 'x.arrow'],
      { cwd },
    );
    expect([code, stderr]).toEqual([0, `Written: ${path.join(cwd, 'x.arrow')}\n`]);
    const bytes = readFileSync(path.join(cwd, 'x.arrow'));
    expect(bytes.subarray(0, 6).toString()).toBe('ARROW1');
    const table = tableFromIPC(bytes);
    expect(table.numRows).toBe(5000);
    expect(JSON.parse(JSON.stringify(table.get(4999), bigIntsAsNumbers))).toMatchObject({
      i: 1,
      t: 'ä',
      n: null,
      l: [1, 2],
      s: { a: 'x' },
      r: 4999,
    });
    expect(readdirSync(cwd).filter((name) => name.includes('.tmp'))).toEqual([]);
  });

  test('pipes one query as an Arrow stream', async () => {
    const cwd = prepared();
    const [node, ...args] = [process.execPath, ...compiled([CLI, 'sql', '--format', 'arrow'])];
    const input = "SELECT range AS r, 'ä' AS t FROM range(5000)";
    const table = tableFromIPC(execFileSync(node, args, { cwd, env: cleanEnv({}), input }));
    expect([table.numRows, JSON.parse(JSON.stringify(table.get(4999), bigIntsAsNumbers))]).toEqual([
      5000,
      { r: 4999, t: 'ä' },
    ]);
    const two = await runCli(['sql', 'SELECT 1; SELECT 2', '--format', 'arrow'], { cwd });
    expect(two.stderr).toContain('--format arrow writes the rows of one query, but there are 2 statements.');
    expect([two.code, two.stdout]).toEqual([2, '']);
  });

  test.runIf(hasPty())('refuses to show Arrow in a terminal', async () => {
    const cwd = prepared();
    const shell = runInPty([process.execPath, ...compiled([CLI, 'sql', 'SELECT 1', '--format', 'arrow'])], {
      columns: 300,
      cwd,
      env: cleanEnv({}),
    });
    expect(await shell.ended).toBe(2);
    expect(shell.lines().join('\n')).toContain('arrow needs a file: a terminal cannot show it.');
  });

  test.runIf(hasPty())('says without a query where to type queries', async () => {
    const cwd = prepared();
    const shell = runInPty([process.execPath, ...compiled([CLI, 'sql'])], { columns: 300, cwd, env: cleanEnv({}) });
    expect(await shell.ended).toBe(2);
    expect(shell.lines().join('\n')).toMatch(/There is no query[^]*tidemark ui[^]*duckdb -readonly \S+market\.duckdb/);
  });
});
