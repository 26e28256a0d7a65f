import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { formatCount } from '../../schemas/format.js';
import { landingDir } from '../../src/store/data-folder.js';
import { DAY_MS } from '../../src/base/time/time.js';
import { ROOT } from '../../test/helpers/processes.js';
import { buildOf } from '../build-of.js';
import { landChangedReports, landReports } from '../financials/land-reports.js';
import { at, landNight, runOf } from '../nights/land-night.js';
import { report } from '../report/report.js';
import { measured, type Cell, type ResultTable } from '../report/result.js';
import type { NightCost } from './night.js';

// 20,000 reports of the sandbox contain 2.6 million values.
const REPORTS = 20_000;
const ROUNDS = Number(process.env['AFTER_ROUNDS'] ?? 4);
const COMPANIES = Number(process.env['AFTER_COMPANIES'] ?? 10_000);
const CASES = (process.env['AFTER_CASES'] ?? 'reports,companies').split(',');
const FIRST_NIGHT = Date.parse('2026-11-20T04:00:00Z');
const NIGHTS = ['first night', '1 % changed', 'nothing changed'];

/** A market: lands what a night adds. Night 0 is the first one; in the last one, nothing is landed. */
interface Case {
  name: string;
  land: (dataDir: string, night: number) => Promise<unknown>;
  run: (night: number) => string;
  now: (night: number) => Date;
}

const REPORTS_ONLY: Case = {
  name: `${formatCount(REPORTS * ROUNDS)} reports`,
  land: (dataDir, night) =>
    night === 0
      ? landReports(dataDir, { companies: REPORTS, rounds: ROUNDS })
      : landChangedReports(dataDir, { companies: REPORTS, rounds: ROUNDS, night, at: day(night), share: 0.01 }),
  run: (night) => `night-${night}`,
  now: day,
};

const WHOLE_MARKET: Case = {
  name: `${formatCount(COMPANIES)} companies`,
  land: (dataDir, night) => landNight(dataDir, night, { companies: COMPANIES, changedShare: 0.01 }),
  run: runOf,
  now: (night) => at(night, 60),
};

/**
 * Measures load, models and publication of three nights: all is new, 1 % of the companies changed, nothing was landed.
 * Each night is a process of its own. `AFTER_AGAINST` is the folder of another clone of Tidemark, which does the same
 * nights in turns with this one. `AFTER_CASES` chooses `reports` (`AFTER_ROUNDS` times 2.6 million values) and
 * `companies` (a market of `AFTER_COMPANIES`: search, records and short reports).
 */
export async function benchAfterLanding(): Promise<void> {
  const against = process.env['AFTER_AGAINST'];
  const clones = { ...(against === undefined ? {} : { other: path.resolve(against) }), this: ROOT };
  const tables: ResultTable[] = [];
  for (const [key, one] of Object.entries({ reports: REPORTS_ONLY, companies: WHOLE_MARKET }))
    if (CASES.includes(key)) tables.push(await measureCase(one, clones));
  report({
    bench: 'after-landing',
    settings: { AFTER_ROUNDS: ROUNDS, AFTER_COMPANIES: COMPANIES, AFTER_CASES: CASES.join() },
    rounds: 1,
    tables,
  });
}

async function measureCase(one: Case, clones: Record<string, string>): Promise<ResultTable> {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidemark-after-'));
  const rows: ResultTable['rows'] = [];
  try {
    const landed = path.join(folder, 'landed');
    for (const [night, name] of NIGHTS.entries()) {
      if (night < NIGHTS.length - 1) await one.land(landed, night);
      for (const [label, clone] of Object.entries(clones)) {
        const dataDir = path.join(folder, label);
        mkdirSync(dataDir, { recursive: true });
        cpSync(landingDir(landed), landingDir(dataDir), { recursive: true, force: false });
        const cost = await runNight(clone, dataDir, one.run(night), one.now(night));
        process.stdout.write(`  ${one.name}, ${name}, ${label}: ${JSON.stringify(cost)}\n`);
        rows.push({ name: `${name}${Object.keys(clones).length > 1 ? `, ${label}` : ''}`, cells: cellsOf(cost) });
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const columns = [
    one.name,
    'load',
    'models',
    'publish',
    'flat tables',
    'all',
    'elapsed',
    'peak memory',
    'published file',
  ];
  return { name: one.name, columns, rows };
}

async function runNight(clone: string, dataDir: string, run: string, now: Date): Promise<NightCost> {
  const script = path.join(import.meta.dirname, 'night.ts');
  const args = ['--import', 'tsx', script, buildOf(clone), dataDir, run, now.toISOString()];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: clone, maxBuffer: 2 ** 26 });
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as NightCost;
}

function cellsOf({ load, models, publish, flat, seconds, peakMiB, fileMiB }: NightCost): Cell[] {
  return [
    ...[load, models, publish, flat, load + models + publish + flat, seconds].map((value) =>
      measured([value], 'seconds'),
    ),
    measured([peakMiB], 'MiB'),
    measured([fileMiB], 'MiB'),
  ];
}

function day(night: number): Date {
  return new Date(FIRST_NIGHT + night * DAY_MS);
}
