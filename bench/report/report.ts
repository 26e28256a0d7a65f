import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import path from 'node:path';
import { version as duckdb } from '@duckdb/node-api';
import { renderText } from './render.js';
import { RESULTS, type BenchResult, type ResultTable } from './result.js';

/** What a benchmark gives to `report`. `settings` are the environment variables that set its size. */
export interface Measurement {
  bench: string;
  settings: Record<string, string | number>;
  versions?: Record<string, string>;
  rounds: number;
  computedFrom?: string[];
  tables: ResultTable[];
}

/** Prints the tables of a benchmark. Saves them for the pages in docs/ if BENCH_SAVE=1. */
export function report({ bench, settings, versions = {}, rounds, computedFrom, tables }: Measurement): void {
  const variables = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const result: BenchResult = {
    bench,
    command: [...variables, `npm run bench -- ${bench}`].join(' '),
    date: new Date().toISOString().slice(0, 10),
    versions: { Node: process.version.slice(1), DuckDB: duckdb().replace(/^v/, ''), ...versions },
    processors: availableParallelism(),
    load: Number((loadavg()[0] ?? 0).toFixed(1)),
    rounds,
    ...(computedFrom === undefined ? {} : { computedFrom }),
    tables,
  };
  process.stdout.write(renderText(result));
  if (process.env['BENCH_SAVE'] !== '1') return;
  mkdirSync(RESULTS, { recursive: true });
  const file = path.join(RESULTS, `${bench}.json`);
  writeFileSync(file, `${JSON.stringify(result, null, 1)}\n`);
  process.stdout.write(`  saved to bench/results/${bench}.json; write the pages in docs/ with: npm run bench:page\n`);
}
