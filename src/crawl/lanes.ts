import type { CrawlDeps } from './deps.js';

/** Who shares what the API key allows at once: crawl workers on the task queue, and runs under way. */
export interface AtWork {
  workers: number;
  runs: number;
}

/**
 * Requests in flight of one activity: what an operator asked for, within its share of what is configured. One worker
 * needs no shares, since its client bounds all that it sends; several know only their own.
 * @param asked null: as much as it may have
 * @param atOnce activities that its run does at once
 */
export function lanesOf({ config, atWork }: CrawlDeps, asked: number | null, atOnce = 1): number {
  const { maxConcurrency } = config.api;
  const shares = atWork && atWork.workers > 1 ? atWork.runs * atOnce : 1;
  const most = Math.max(1, Math.floor(maxConcurrency / shares));
  return asked !== null && Number.isInteger(asked) && asked >= 1 ? Math.min(asked, most) : most;
}
