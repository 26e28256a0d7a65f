import { Worker, type WorkerOptions } from '@temporalio/worker';
import { createWarehouseActivities } from '../../../activities/warehouse.js';
import { STANDBY_QUEUE, WAREHOUSE_QUEUE } from '../../../workflows/queues.js';
import type { Writer } from '../../warehouse/duckdb/writer.js';
import type { WorkerParts } from './worker-parts.js';

// Run one activity at a time: the warehouse has one writer, and one build uses all cores.
const ONE_AT_A_TIME: Omit<WorkerOptions, 'taskQueue'> = {
  maxConcurrentActivityTaskExecutions: 1,
  shutdownGraceTime: '10 seconds',
  shutdownForceTime: '60 seconds',
};

/** Creates the worker of the warehouse queue, which loads, builds and publishes. */
export async function createWarehouseWorker({
  config,
  data,
  clock,
  stamps,
  log,
  folder,
  options,
  writer,
}: WorkerParts & { writer?: Writer }): Promise<Worker> {
  return Worker.create({
    ...options,
    taskQueue: WAREHOUSE_QUEUE,
    activities: createWarehouseActivities({ config, data, clock, stamps, log, folder, writer }),
    ...ONE_AT_A_TIME,
  });
}

/** Creates the worker of the standby queue. Its polls show that this process waits for the lease. It gets no work. */
export async function createStandbyWorker({ options }: Pick<WorkerParts, 'options'>): Promise<Worker> {
  return Worker.create({
    ...options,
    taskQueue: STANDBY_QUEUE,
    activities: { nothing: () => Promise.resolve() },
    maxConcurrentActivityTaskPolls: 1,
  });
}
