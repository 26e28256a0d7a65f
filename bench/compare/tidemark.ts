import { existsSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection } from '@temporalio/client';
import { startProcess } from '../../test/helpers/processes.js';
import { makeProject, workerArgs } from '../../test/helpers/project.js';
import { buildOf } from '../build-of.js';
import { cpuSeconds, peakMiB } from '../process-usage.js';
import { runSnapshot } from '../run-snapshot.js';
import { startTemporalServer } from '../temporal-server.js';
import type { Contender, Place } from './contender.js';

/**
 * Tidemark as users run it: a Temporal dev server, a worker, and `tidemark snapshot`. The CPU time of server and worker
 * counts from the start of the command, because both serve many runs. Then runs a second night without changes in the
 * market, to measure how the database of the server grows.
 */
export function tidemark(inFlight: number): Contender {
  return { name: 'Tidemark', run: (place) => runTidemark(place, inFlight) };
}

/** As `tidemark`, with the code of another clone. */
export function otherTidemark(inFlight: number, clone: string): Contender {
  return { name: 'Tidemark, other', run: (place) => runTidemark(place, inFlight, buildOf(clone)) };
}

/** @param build folder of the compiled code. Default: this code */
async function runTidemark(
  { sandbox, folder, queryable, done }: Place,
  inFlight: number,
  build?: string,
): ReturnType<Contender['run']> {
  const server = await startTemporalServer(folder);
  const project = makeProject({
    api: sandbox,
    temporal: server.address,
    config: {
      api: { baseUrl: sandbox.url, maxConcurrency: inFlight },
      data: path.join(folder, 'data'),
      markets: [{ name: 'demo', streams: ['companies', 'financials'] }],
    },
  });
  const file = path.join(folder, 'data', 'published', 'market.duckdb');
  const worker = await startProcess(workerArgs('all', undefined, build), {
    env: project.env,
    ready: /^worker ready: /m,
  });
  try {
    const pid = worker.child.pid!;
    const before = { worker: cpuSeconds(pid), temporal: cpuSeconds(server.pid), database: server.databaseMiB() };
    const whenThere = watch(file, queryable);
    const command = await runSnapshot(project, build);
    await whenThere.stop();
    await done();
    const night = { worker: cpuSeconds(pid), temporal: cpuSeconds(server.pid), database: server.databaseMiB() };
    const peak = peakMiB(pid);
    const { version, events } = await readServer(server.address);
    await runSnapshot(project, build);
    return {
      cpu: {
        worker: night.worker - before.worker,
        command,
        'Temporal server': night.temporal - before.temporal,
      },
      peakMiB: peak,
      file,
      companies: 'SELECT company_id, name FROM db.core.companies WHERE has_details',
      values: `SELECT company_id, fiscal_year, indicator, coalesce(CAST(value_double AS VARCHAR), value_text)
        FROM db.core.financials WHERE source = 'v2'`,
      temporal: {
        version,
        events,
        databaseMiB: [night.database - before.database, server.databaseMiB() - night.database],
      },
    };
  } finally {
    await worker.stop();
    await server.stop();
    project.remove();
  }
}

/** Calls `found` as soon as the file exists. */
function watch(file: string, found: () => void): { stop: () => Promise<void> } {
  const stop = new AbortController();
  const watching = (async () => {
    while (!stop.signal.aborted && !existsSync(file)) await sleep(20);
    found();
  })();
  return {
    stop: () => {
      stop.abort();
      return watching;
    },
  };
}

/** Reads the version of the server, and counts the events in the histories of all workflows. */
async function readServer(address: string): Promise<{ version: string; events: number }> {
  const connection = await Connection.connect({ address });
  try {
    let events = 0;
    const { workflow } = new Client({ connection });
    for await (const { workflowId, runId } of workflow.list()) {
      const { historyLength } = await workflow.getHandle(workflowId, runId).describe();
      events += historyLength;
    }
    const { serverVersion } = await connection.workflowService.getSystemInfo({});
    return { version: serverVersion ?? 'unknown', events };
  } finally {
    await connection.close();
  }
}
