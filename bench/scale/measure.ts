import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { buildsDir, landingDir, warehouseFile } from '../../src/store/data-folder.js';
import { queryFile } from '../../test/helpers/project.js';
import type { Project } from '../../test/helpers/project.js';
import { countRequests } from '../../test/helpers/sandbox.js';
import type { RunningSandbox } from '../../test/helpers/processes.js';
import { costOfPhases, PHASES, readSteps, type Phase, type PhaseCost, type Step } from '../crawl/phases.js';
import { ProcessMeter } from '../crawl/process-meter.js';
import type { TemporalServer } from '../temporal-server.js';

/** What one run cost. Sizes of files are those after the run. */
export interface RunCost {
  requests: number;
  /** Size of the answers in MiB. */
  answersMiB: number;
  seconds: number;
  /** CPU seconds of the worker. */
  cpu: number;
  events: number;
  landingMiB: number;
  warehouseMiB: number;
  publishedMiB: number;
  databaseMiB: number;
}

export interface MeasuredRun {
  cost: RunCost;
  /** Companies that the search found. */
  searched: number;
  phases: Record<Phase, PhaseCost>;
  /** Peak memory of the worker in MiB, by phase. */
  peakMiB: Record<Phase, number>;
  /** Peak memory in MiB of each quarter of the time in which the worker fetched records. Empty if it fetched none. */
  crawlMiB: number[];
}

/** Sandbox, Temporal and worker of a benchmark. */
export interface System {
  sandbox: RunningSandbox;
  project: Project;
  temporal: TemporalServer;
  /** Process id of the worker. */
  worker: number;
}

/** Runs a market once and measures the run. Another run of the same market needs another `workflowId`. */
export async function measureRun(system: System, market: string, workflowId = `bench/${market}`): Promise<MeasuredRun> {
  const { sandbox, project, temporal, worker } = system;
  const connection = await Connection.connect({ address: temporal.address });
  try {
    const { workflow } = new Client({ connection });
    const before = await countRequests(sandbox);
    const meter = new ProcessMeter(worker);
    const begun = performance.now();
    const handle = await workflow.start('marketSnapshot', {
      taskQueue: 'tidemark-crawl',
      workflowId,
      args: [{ market }],
    });
    const result = (await handle.result()) as { outcome: string };
    if (result.outcome !== 'complete') throw new Error(`the run ended as ${result.outcome}: ${JSON.stringify(result)}`);
    const seconds = (performance.now() - begun) / 1_000;
    meter.stop();
    let events = 0;
    const steps: Step[] = [];
    for await (const { runId } of workflow.list({ query: `WorkflowId = "${workflowId}"` })) {
      const execution = workflow.getHandle(workflowId, runId);
      events += (await execution.describe()).historyLength;
      steps.push(...(await readSteps(execution)));
    }
    const phases = costOfPhases(meter.samples, steps);
    const [{ searched, bytes } = { searched: 0, bytes: 0 }] = (await queryFile(
      project.published,
      `SELECT (SELECT CAST(count(*) AS DOUBLE) FROM marts.market_members WHERE market = '${market}') AS searched,
        (SELECT CAST(sum(bytes) AS DOUBLE) FROM ops.requests r JOIN ops.runs ON r.run = run_id WHERE workflow_id = '${workflowId}') AS bytes`,
    )) as { searched: number; bytes: number }[];
    return {
      cost: {
        requests: (await countRequests(sandbox)) - before,
        answersMiB: bytes / 2 ** 20,
        seconds,
        cpu: PHASES.reduce((sum, phase) => sum + phases[phase].cpu, 0),
        events,
        landingMiB: sizeMiB(landingDir(project.dataDir)),
        warehouseMiB: sizeMiB(warehouseFile(project.dataDir)),
        publishedMiB: newestMiB(buildsDir(project.dataDir)),
        databaseMiB: temporal.databaseMiB(),
      },
      searched,
      phases,
      peakMiB: Object.fromEntries(PHASES.map((phase) => [phase, phases[phase].mib])) as Record<Phase, number>,
      crawlMiB: quarterPeaks(
        meter.samples,
        steps.filter(({ phase }) => phase === 'crawl'),
      ),
    };
  } finally {
    await connection.close();
  }
}

function quarterPeaks(samples: ProcessMeter['samples'], crawls: readonly Step[]): number[] {
  if (crawls.length === 0) return [];
  const from = crawls.reduce((least, step) => Math.min(least, step.from), Infinity);
  const to = crawls.reduce((most, step) => Math.max(most, step.to), 0);
  return [0, 1, 2, 3].map((quarter) => {
    const at = (part: number): number => from + ((to - from) * part) / 4;
    return samples
      .filter((sample) => at(quarter) <= sample.at && sample.at < at(quarter + 1))
      .reduce((peak, { mib }) => Math.max(peak, mib), 0);
  });
}

function newestMiB(folder: string): number {
  const builds = readdirSync(folder).toSorted();
  return builds.length === 0 ? 0 : sizeMiB(path.join(folder, builds.at(-1)!));
}

/** Size of a file, or of all files in a folder, in MiB. Counts a file with several names once. */
function sizeMiB(place: string): number {
  const counted = new Set<number>();
  const bytesOf = (at: string): number => {
    const found = statSync(at, { throwIfNoEntry: false });
    if (found === undefined) return 0;
    if (found.isDirectory()) return readdirSync(at).reduce((sum, name) => sum + bytesOf(path.join(at, name)), 0);
    if (counted.has(found.ino)) return 0;
    counted.add(found.ino);
    return found.size;
  };
  return bytesOf(place) / 2 ** 20;
}
