import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { compiled, ROOT, startSandbox, type RunningSandbox } from '../../helpers/processes.js';
import { makeProject, type Project } from '../../helpers/project.js';
import { tidemarkIn } from '../../helpers/run-cli.js';

/** Number of finished nights. The last one is incomplete. */
const NIGHTS = 5;
/** Day of the first night. A night follows every second day. */
const FIRST = Date.UTC(2026, 10, 10, 3);
const COMPANIES = 3_000;

/**
 * Makes a project with five nights of an invented market and its tenders. Between the third and the fourth night, a model
 * changes. In the fifth, the API repeats companies, so the night is incomplete. The sixth is still running.
 * @param temporal address of a Temporal server
 * @param ending what the caller must run in the end, last entry first
 */
export async function makeNights(temporal: string, ending: (() => Promise<unknown>)[]): Promise<Project> {
  let sandbox = await openSandbox(0, {});
  ending.push(() => sandbox.stop());
  const { port } = new URL(sandbox.url);
  const project = makeProject({
    api: sandbox,
    temporal,
    config: {
      markets: [{ name: 'demo', streams: ['companies', 'financials', 'executives', 'ownership'], remainder: 1 }],
      models: './models',
      personalData: 'contacts',
      fx: { file: './rates.csv' },
    },
  });
  ending.push(async () => project.remove());
  writeFileSync(path.join(project.dir, 'rates.csv'), makeRates());
  writeModel(project, 1, 1e6);
  for (let night = 0; night < NIGHTS; night++) {
    const now = timeOf(night);
    if (night > 0) {
      await sandbox.stop();
      sandbox = await openSandbox(night, {
        port,
        ...(night === NIGHTS - 1 ? { clones: 1_300, 'v1-page-cap': 10 } : {}),
      });
    }
    const worker = await project.startWorker(now);
    ending.push(() => worker.stop('SIGKILL'));
    await run(project, ['snapshot', '--json', '--date', now.TIDEMARK_NOW.slice(0, 10)], now);
    if (night === 0) await run(project, ['tenders', '--date', now.TIDEMARK_NOW.slice(0, 10)], now);
    if (night === 2) {
      writeModel(project, 2, 5e6);
      await run(project, ['models', 'apply'], now);
    }
    await worker.stop();
  }
  await sandbox.stop();
  sandbox = await openSandbox(NIGHTS, { port, latency: 10_000 });
  await startNight(project, ending);
  return project;
}

/** Starts the worker and the sixth night, and does not wait for its end. */
async function startNight(project: Project, ending: (() => Promise<unknown>)[]): Promise<void> {
  const now = timeOf(NIGHTS);
  const worker = await project.startWorker(now);
  ending.push(() => worker.stop('SIGKILL'));
  const cli = spawn(
    process.execPath,
    compiled(['bin/tidemark.mjs', 'snapshot', '--date', now.TIDEMARK_NOW.slice(0, 10)]),
    { cwd: ROOT, env: { ...project.env, ...now }, stdio: 'ignore' },
  );
  ending.push(async () => cli.kill('SIGKILL'));
}

function timeOf(night: number): { TIDEMARK_NOW: string } {
  return { TIDEMARK_NOW: new Date(FIRST + night * 2 * 86_400_000).toISOString() };
}

async function openSandbox(night: number, more: Record<string, string | number>): Promise<RunningSandbox> {
  return startSandbox({ companies: COMPANIES, tenders: 300, seed: 5, date: '2026-11-10', day: night * 2, ...more });
}

async function run(project: Project, args: string[], now: Record<string, string>): Promise<void> {
  const { code, stdout, stderr } = await tidemarkIn(project, args, now);
  console.log(`tidemark ${args.join(' ')}: exit code ${code}`);
  // An incomplete night ends with exit code 1 and its result on stdout.
  if (code !== 0 && !stdout.includes('"partial"')) throw new Error(stderr + stdout);
}

function writeModel(project: Project, version: number, limit: number): void {
  const folder = path.join(project.dir, 'models', 'marts');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    path.join(folder, 'big_companies.sql'),
    `/*
model: marts.big_companies
kind: table
version: ${version}
grain: company
key: [company_id]
description: Companies with a turnover above ${limit} EUR.
columns:
  company_id: BIGINT | Id of the company
  turnover_eur: DOUBLE | Turnover of the latest year, in EUR
*/
SELECT company_id, turnover_eur FROM marts.companies WHERE turnover_eur > ${limit}
`,
  );
}

/** Invented rates, constant in time. */
function makeRates(): string {
  const rates = { USD: 1.1, GBP: 0.86, SEK: 11.2, NOK: 11.5, DKK: 7.46, CHF: 0.95, PLN: 4.3, JPY: 160, KRW: 1_450 };
  const years = Array.from({ length: 14 }, (_, i) => 2013 + i);
  const rows = years.flatMap((year) =>
    Object.entries(rates).map(([currency, rate]) => `${year}-12-31,${currency},${rate}`),
  );
  return `date,currency,rate\n${rows.join('\n')}\n`;
}
