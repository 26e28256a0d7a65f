import { existsSync } from 'node:fs';
import { landingDir } from '../../src/store/data-folder.js';
import { withMemory } from '../../src/warehouse/duckdb/in-memory.js';
import { quote } from '../../src/warehouse/duckdb/sql-files.js';
import { startSandbox, type RunningProcess } from '../../test/helpers/processes.js';
import { makeProject } from '../../test/helpers/project.js';
import { startTemporal } from '../../test/helpers/temporal.js';
import { MARKET } from '../market.js';
import { runSnapshot } from '../run-snapshot.js';
import { readHistory, type Activity } from './history.js';
import { ProcessMeter, type Sample } from './process-meter.js';

const COMPANIES = Number(process.env['TIMELINE_COMPANIES'] ?? 2_000);
const LATENCY = Number(process.env['TIMELINE_LATENCY'] ?? 0);
const NIGHTS = Number(process.env['TIMELINE_NIGHTS'] ?? 1);
const AT_ONCE = 32;

/**
 * Prints what happens in each moment of a night, from `tidemark snapshot` to its end: each activity with its wait, its
 * duration, its answers and the CPU time of the worker meanwhile. Also prints when no answer arrived.
 *
 * Environment variables: `TIMELINE_COMPANIES`, `TIMELINE_LATENCY` (milliseconds before each answer), and
 * `TIMELINE_NIGHTS` (nights to run one after the other, without changes in the market).
 */
export async function benchTimeline(): Promise<void> {
  process.stdout.write(`timeline: ${COMPANIES} companies with reports, latency ${LATENCY} ms\n`);
  const temporal = await startTemporal();
  const sandbox = await startSandbox({ ...MARKET, companies: COMPANIES, latency: LATENCY });
  const project = makeProject({
    api: sandbox,
    temporal: temporal.address,
    config: {
      api: { baseUrl: sandbox.url, maxConcurrency: AT_ONCE },
      markets: [{ name: 'demo', streams: ['companies', 'financials'] }],
    },
  });
  let worker: RunningProcess | undefined;
  try {
    worker = await project.startWorker();
    for (let night = 1; night <= NIGHTS; night++) {
      process.stdout.write(`night ${night}\n`);
      const meter = new ProcessMeter(worker.child.pid!);
      const begun = Date.now();
      const command = await runSnapshot(project);
      const ended = Date.now();
      meter.stop();
      const history = await temporal.client.workflow
        .getHandle(`snapshot/demo/${new Date().toISOString().slice(0, 10)}`)
        .fetchHistory();
      const { activities, opened, closed } = readHistory(history.events ?? []);
      const answers = await readAnswers(project.dataDir, begun);
      print({ begun, ended, opened, closed, activities, answers, samples: meter.samples, command });
    }
  } finally {
    await worker?.stop();
    await sandbox.stop();
    await temporal.teardown();
    project.remove();
  }
}

/** Times of all landed answers since `begun`, in milliseconds since 1970. */
async function readAnswers(dataDir: string, begun: number): Promise<number[]> {
  const folder = landingDir(dataDir);
  if (!existsSync(folder)) return [];
  const rows = await withMemory(folder, (db) =>
    db.rows<{ at: number }>(
      `SELECT epoch_ms(fetched_at::TIMESTAMPTZ)::DOUBLE AS at
      FROM read_parquet(${quote(`${folder}/*/*/*/*.parquet`)}, union_by_name => true) WHERE request_key IS NOT NULL ORDER BY 1`,
    ),
  );
  return rows.map(({ at }) => at).filter((at) => at >= begun);
}

interface Timeline {
  begun: number;
  ended: number;
  opened: number;
  closed: number;
  activities: readonly Activity[];
  answers: readonly number[];
  samples: readonly Sample[];
  /** CPU seconds of the command. */
  command: number;
}

function print({ begun, ended, opened, closed, activities, answers, samples, command }: Timeline): void {
  const cpuAt = (at: number): number => samples.findLast((sample) => sample.at <= at)?.cpu ?? samples[0]?.cpu ?? 0;
  const cpu = (from: number, to: number): string => (cpuAt(to) - cpuAt(from)).toFixed(2);
  const ms = (value: number): string => value.toFixed(0).padStart(7);
  const line = (name: string, from: number, to: number, waited: number): void => {
    const count = answers.filter((at) => at >= from && at < to).length;
    process.stdout.write(
      `  ${ms(from - begun)} ${ms(to - begun)} ${ms(to - from)} ${ms(waited)} ${String(count).padStart(7)} ${cpu(from, to).padStart(6)}  ${name}\n`,
    );
  };
  process.stdout.write(
    '     from      to      ms  waited answers    CPU  (ms since the command; CPU s of the worker)\n',
  );
  line('command before the run', begun, opened, 0);
  let before = opened;
  for (const { name, scheduled, started, ended: to } of activities.toSorted((a, b) => a.started - b.started)) {
    if (started - before > 20) line('· no activity', before, started, 0);
    line(name, started, to, started - scheduled);
    before = Math.max(before, to);
  }
  line('· no activity', before, closed, 0);
  line('command after the run', closed, ended, 0);
  line('all', begun, ended, 0);
  process.stdout.write(`  CPU s of the command ${command.toFixed(2)}; requests ${answers.length}\n`);
  printRate(begun, answers);
}

/** Prints the answers of each tenth of a second while the run crawls. */
function printRate(begun: number, answers: readonly number[]): void {
  const [first, last] = [answers[0], answers.at(-1)];
  if (first === undefined || last === undefined) return;
  const tenths = Array.from({ length: Math.floor((last - first) / 100) + 1 }, () => 0);
  for (const at of answers) tenths[Math.floor((at - first) / 100)]!++;
  process.stdout.write(
    `  answers of each 100 ms, from ${(first - begun).toFixed(0)} ms to ${(last - begun).toFixed(0)} ms:\n    ${tenths.join(' ')}\n`,
  );
}
