import { Worker } from 'node:worker_threads';

/** Watches this process from a separate thread, also while its main thread is busy. */
export interface Watchdog {
  /** Begins to watch. `file`: also watches the size of this file. */
  begin(file: string | null): void;
  end(): void;
}

/** The reasons that a watchdog writes to standard error before it ends the process. */
export const ENDED_BY = { memory: 'tidemark: memory limit', file: 'tidemark: file limit' } as const;

const EVERY_MS = 25;

// Plain text, because a thread that loads a module would start more slowly.
const CODE = `
const { statSync, writeSync } = require('node:fs');
const { parentPort, workerData } = require('node:worker_threads');
let timer;
const end = (why) => { writeSync(2, why + '\\n'); process.kill(process.pid, 'SIGKILL'); };
parentPort.on('message', ({ file, on }) => {
  clearInterval(timer);
  if (on) timer = setInterval(() => {
    if (process.memoryUsage.rss() > workerData.memory) end(workerData.endedBy.memory);
    const size = file === null ? 0 : statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size > workerData.fileBytes) end(workerData.endedBy.file);
    if (process.ppid !== workerData.parent) process.kill(process.pid, 'SIGKILL');
  }, ${EVERY_MS});
});`;

/**
 * Starts a watchdog. It ends the process with SIGKILL when the process takes more memory than `memory` bytes, when the
 * watched file has more than `fileBytes`, or when the parent process ended.
 */
export function startWatchdog(limits: { memory: number; fileBytes: number }): Watchdog {
  const worker = new Worker(CODE, { eval: true, workerData: { ...limits, parent: process.ppid, endedBy: ENDED_BY } });
  worker.unref();
  // A thread's messages have no target origin.
  const tell = worker.postMessage.bind(worker);
  return {
    begin: (file) => tell({ on: true, file }),
    end: () => tell({ on: false, file: null }),
  };
}
