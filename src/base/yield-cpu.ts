import { readdirSync } from 'node:fs';
import { setPriority } from 'node:os';

/*
 * Niceness of processes beside the crawl. The kernel gives a busy thread of niceness 0 about 9 times as much time as one
 * of niceness 10, and 28 times as much as one of niceness 15. So a flood of requests leaves the worker its share.
 */
export const NICE = { receiver: 10, explorer: 15, query: 15 } as const;

/**
 * Lets this process wait for processes of a lower niceness when all cores are busy. On Linux, each thread has its own
 * niceness; new threads take it from the thread that starts them. So this function sets it for all threads.
 */
export function yieldCpu(niceness: number): void {
  const threads = process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [process.pid];
  for (const thread of threads) {
    try {
      setPriority(thread, niceness);
    } catch {
      // The thread has ended, or the system forbids the change. The process works without it.
    }
  }
}
