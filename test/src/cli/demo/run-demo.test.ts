import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { queryFile } from '../../../helpers/project.js';
import { emptyFolder, runCli, type CliResult } from '../../../helpers/run-cli.js';

const SIZE = ['--companies', '300', '--tenders', '25'];
const LONG = 280_000;

let folder: ReturnType<typeof emptyFolder>;
let first: CliResult;

beforeAll(async () => {
  const outer = emptyFolder();
  // Characters with a meaning in URLs, globs and shells.
  folder = { dir: path.join(outer.dir, 'what #1 %41 [x]'), remove: outer.remove };
  mkdirSync(folder.dir);
  first = await runCli(['demo', ...SIZE], { cwd: folder.dir });
}, LONG);

afterAll(() => folder.remove());

/** The file that analysts open. */
function published(): string {
  return path.join(folder.dir, 'data', 'published', 'market.duckdb');
}

/** Working folders of this machine's processes, if Linux shows them. */
function workingFolders(): string[] {
  const processes = existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : [];
  return processes.flatMap((pid) => {
    try {
      return [readlinkSync(`/proc/${pid}/cwd`)];
    } catch {
      return [];
    }
  });
}

/** Number of requests that the demo reports. */
function requestsOf({ stdout }: CliResult): number {
  return Number(/Done in .*, ([\d,]+) requests\./.exec(stdout)?.[1]?.replaceAll(',', ''));
}

describe('tidemark demo, without a terminal', () => {
  it('demo publishes a market and answers five queries', async () => {
    expect(first.stderr).not.toContain('error:');
    expect(first.code).toBe(0);
    const counts = `SELECT (SELECT count(*) FROM core.companies)::INTEGER AS companies, (SELECT count(*) FROM core.tenders)::INTEGER AS tenders`;
    expect(await queryFile(published(), counts)).toEqual([{ companies: 300, tenders: 25 }]);
    const answers = first.stdout.split(/^(?=\S.*\?.*$)/m).filter((part) => part.includes('SELECT'));
    expect(answers).toHaveLength(5);
    for (const answer of answers) expect(answer).toMatch(/─{10,}\n\S/);
  });

  it('demo writes the report and prints its path', () => {
    expect(first.stdout).toMatch(/Report +data\/report\.html/);
    const report = readFileSync(path.join(folder.dir, 'data', 'report.html'), 'utf8');
    expect(report).toContain('All markets complete');
    expect(report).toContain('core.companies');
    expect(first.stderr).not.toMatch(/drift/);
  });

  it('demo writes only into its data folder, whatever the path contains', () => {
    expect(readdirSync(path.dirname(folder.dir))).toEqual([path.basename(folder.dir)]);
    expect(existsSync(path.join(folder.dir, 'data', 'temporal', 'temporal.db'))).toBe(true);
  });

  it('demo leaves no process running', () => {
    const left = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).split('\n');
    expect(left.filter((line) => line.includes(folder.dir))).toEqual([]);
    // The Temporal server's arguments name no folder: it runs inside its own.
    expect(workingFolders().filter((cwd) => cwd.startsWith(folder.dir))).toEqual([]);
    expect(existsSync(path.join(folder.dir, 'data', 'temporal', 'server.json'))).toBe(false);
  });

  it('commands after demo work without a configuration file', async () => {
    const { code, stdout } = await runCli(['sql', 'SELECT count(*) AS n FROM core.companies', '--format', 'json'], {
      cwd: folder.dir,
    });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual([{ n: 300 }]);
    const coverage = await runCli(['coverage', '--json'], { cwd: folder.dir });
    expect(JSON.parse(coverage.stdout)).toMatchObject([
      { market: 'demo', reported_total: 300, missing: 0, share: 1, why: [] },
    ]);
    const runs = await runCli(['runs'], { cwd: folder.dir });
    expect(runs.stdout).toMatch(/marketSnapshot +demo +complete/);
  });

  it('sql --out writes complete files, and none after an error', async () => {
    for (const ending of ['csv', 'json', 'parquet']) {
      const out = path.join(folder.dir, `companies.${ending}`);
      const { code } = await runCli(['sql', 'FROM core.companies', '--out', out], { cwd: folder.dir });
      expect(code).toBe(0);
      expect(await queryFile(published(), `SELECT count(*)::INTEGER AS n FROM '${out}'`)).toEqual([{ n: 300 }]);
    }
    const out = path.join(folder.dir, 'never.parquet');
    const { code, stderr } = await runCli(['sql', 'FROM nowhere', '--out', out], { cwd: folder.dir });
    expect(code).toBe(1);
    expect(stderr).toContain('Table with name nowhere does not exist');
    expect(existsSync(out)).toBe(false);
  });

  it(
    'demo repeats with less than a tenth of the requests',
    async () => {
      const second = await runCli(['demo', ...SIZE, '--once'], { cwd: folder.dir });
      expect(second.code).toBe(0);
      expect(requestsOf(first)).toBeGreaterThan(600);
      expect(requestsOf(second)).toBeLessThan(requestsOf(first) / 10);
    },
    LONG,
  );
});
