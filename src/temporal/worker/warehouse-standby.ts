import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Worker } from '@temporalio/worker';
import { errorMessage, TidemarkError } from '../../base/errors.js';
import type { createWarehouseWorker } from './warehouse-worker.js';
import type { WorkerParts } from './worker-parts.js';
import { becomeWriter, type Writer } from '../../warehouse/duckdb/writer.js';
import type { SharedData } from '../../store/data.js';

const PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;
const LOOK_MS = 250;
const ANSWER_MS = 10_000;

/** What `runAll` in src/temporal/worker/worker.ts needs of a worker. */
export type Runnable = Pick<Worker, 'run' | 'shutdown' | 'getState'>;

/** A warehouse worker that waits for its lease. */
export interface Standby extends Runnable {
  /** The worker that polls the queue now; none while it waits. */
  working(): Worker[];
}

/**
 * Makes the warehouse worker for data in a bucket. It waits until this process holds the lease of the warehouse, and
 * polls the queue only then. After the loss of the lease, it stops its work and waits again. If a command asks for the
 * lease, it gives the lease to the command when no activity runs, and waits again.
 */
export function standBy(parts: WorkerParts, copy: SharedData, create: typeof createWarehouseWorker): Standby {
  const { log } = parts;
  const stop = new AbortController();
  let working: Worker[] = [];
  let state: ReturnType<Worker['getState']> = 'INITIALIZED';
  const serve = async (): Promise<void> => {
    const writer = await findLease(copy, stop.signal, log);
    if (writer === undefined) return;
    if (!(await answers(parts.temporal))) {
      // Another machine may reach Temporal.
      log.warn('gives the lease back, because Temporal does not answer');
      await writer.lease.release();
      return rest(stop.signal);
    }
    const worker = await create({ ...parts, writer });
    const shutdown = (): void => {
      if (worker.getState() === 'RUNNING') worker.shutdown();
    };
    const given = new AbortController();
    const end = AbortSignal.any([stop.signal, writer.lease.lost, given.signal]);
    void giveWhenIdle(worker, writer.lease.asked, end, given);
    end.addEventListener('abort', shutdown);
    log.info({ token: writer.lease.token }, 'this process writes the warehouse now');
    try {
      const running = worker.run();
      working = [worker];
      if (end.aborted) shutdown();
      await running;
    } finally {
      working = [];
      if (writer.lease.lost.aborted) log.warn('lost the lease: another process writes the warehouse now, or may do so');
      else if (given.signal.aborted) log.info('gives the warehouse to a command');
      await writer.lease.release();
    }
  };
  return {
    getState: () => state,
    working: () => working,
    shutdown: () => stop.abort(),
    async run() {
      state = 'RUNNING';
      try {
        while (!stop.signal.aborted) await serve();
      } finally {
        state = 'STOPPED';
      }
    },
  };
}

/** Whether Temporal answers. A worker whose creation failed cannot be created again, because the SDK keeps its queue. */
async function answers({ connection, workflowService, options }: Client): Promise<boolean> {
  const { namespace } = options;
  const asked = connection.withDeadline(Date.now() + ANSWER_MS, async () =>
    workflowService.describeNamespace({ namespace }),
  );
  return asked.then(
    () => true,
    () => false,
  );
}

async function rest(signal: AbortSignal, ms = PAUSE_MS): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

/** Aborts `given` if a command has asked for the lease and no activity runs. */
async function giveWhenIdle(
  worker: Worker,
  asked: AbortSignal,
  end: AbortSignal,
  given: AbortController,
): Promise<void> {
  const isBusy = (): boolean => worker.getState() !== 'RUNNING' || worker.getStatus().numInFlightActivities > 0;
  while (!end.aborted) {
    if (asked.aborted && !isBusy()) return given.abort();
    await delay(LOOK_MS, undefined, { signal: end }).catch(() => undefined);
  }
}

/**
 * Waits for the lease. Continues after every error, because a refusal or an unusable file may be gone a moment later.
 * Returns undefined when `signal` aborts.
 */
async function findLease(copy: SharedData, signal: AbortSignal, log: WorkerParts['log']): Promise<Writer | undefined> {
  const onWait = (holder: string): void => log.info({ holder }, 'waits until no other process writes the warehouse');
  const onLost = (text: string): void => log.warn(text);
  for (let pause = PAUSE_MS; !signal.aborted; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return await becomeWriter(copy, { what: 'warehouse worker', signal, onWait, onLost });
    } catch (error) {
      if (signal.aborted) break;
      const todo = error instanceof TidemarkError ? ` ${error.todo}` : '';
      log.warn(`cannot take the lease of the warehouse, and tries again: ${errorMessage(error)}${todo}`);
      await rest(signal, pause);
    }
  }
  return undefined;
}
