import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { partitionsRoot, replayFile } from '../../src/core/data-folder.js';
import { formatCount } from '../../schemas/format.js';
import { report } from '../report/report.js';
import { measured, type ResultTable } from '../report/result.js';
import { landMarket } from './land-market.js';
import type { Measured, Step } from './step.js';

const COMPANIES = (process.env['PARTITIONS_COMPANIES'] ?? '1000,10000').split(',').map(Number);
const COUNTS = (process.env['PARTITIONS'] ?? '2,4,8').split(',').map(Number);

type Row = ResultTable['rows'][number];

/**
 * Compares a rebuild in one piece with a rebuild from partitions: CPU time and peak memory of each step, each in its own
 * process. `PARTITIONS_COMPANIES` and `PARTITIONS` set the sizes of the market and the numbers of partitions.
 */
export async function benchPartitions(): Promise<void> {
  const rows: Row[] = [];
  for (const companies of COMPANIES) rows.push(...(await measureMarket(companies)));
  report({
    bench: 'partitions',
    settings: { PARTITIONS_COMPANIES: COMPANIES.join(','), PARTITIONS: COUNTS.join(',') },
    rounds: 1,
    tables: [
      {
        name: 'steps',
        columns: [
          'rebuild',
          'CPU of the largest partition',
          'CPU of all partitions',
          'CPU of the writer',
          'CPU in a row, ÷ one piece',
          'peak of a partition',
          'peak of the writer',
        ],
        rows,
      },
    ],
  });
}

async function measureMarket(companies: number): Promise<Row[]> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'tidemark-partitions-'));
  try {
    await landMarket(dataDir, companies);
    const whole = run(dataDir, { name: 'whole' });
    const publication = run(dataDir, { name: 'publish' });
    const name = `${formatCount(companies)} companies`;
    const rows = [
      row(`${name}, in one piece (warehouse of ${whole.warehouseMiB.toFixed(0)} MiB)`, null, whole, whole),
      ...COUNTS.map((of) => measureCount(dataDir, `${name}, ${of} partitions`, { of, whole })),
      row(`${name}, publication, in both cases`, null, publication, whole),
    ];
    for (const { name: done } of rows) process.stdout.write(`  ${done}\n`);
    return rows;
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function measureCount(dataDir: string, name: string, { of, whole }: { of: number; whole: Measured }): Row {
  const partitions = Array.from({ length: of }, (_, index) => run(dataDir, { name: 'partition', index, of }));
  const files = partitions.flatMap(({ file }) => file ?? []);
  const writer = run(dataDir, { name: 'combine', of, files });
  for (const made of [partitionsRoot(dataDir), replayFile(dataDir)]) rmSync(made, { recursive: true, force: true });
  return row(name, partitions, writer, whole);
}

function row(name: string, partitions: Measured[] | null, writer: Measured, whole: Measured): Row {
  const cpus = partitions?.map(({ cpu }) => cpu) ?? [];
  const largest = Math.max(0, ...cpus);
  const all = cpus.reduce((sum, cpu) => sum + cpu, 0);
  const peak = Math.max(0, ...(partitions?.map(({ mib }) => mib) ?? []));
  return {
    name,
    cells: [
      partitions && measured([largest], 'seconds'),
      partitions && measured([all], 'seconds'),
      measured([writer.cpu], 'seconds'),
      measured([(largest + writer.cpu) / whole.cpu], 'ratio'),
      partitions && measured([peak], 'MiB'),
      measured([writer.mib], 'MiB'),
    ],
  };
}

/** Runs a step in its own process, so that its CPU time and its peak memory are its own. */
function run(dataDir: string, step: Step): Measured {
  const script = path.join(import.meta.dirname, 'step.ts');
  const output = execFileSync(process.execPath, ['--import', 'tsx', script, dataDir, JSON.stringify(step)], {
    encoding: 'utf8',
  });
  return JSON.parse(output.trim().split('\n').at(-1) ?? '') as Measured;
}
