import type { Config } from '../core/config.js';

/** Requests in flight of one activity: what an operator asked for, within what is configured; null: all of that. */
export function lanesOf({ api }: Config, asked: number | null): number {
  return asked !== null && Number.isInteger(asked) && asked >= 1
    ? Math.min(asked, api.maxConcurrency)
    : api.maxConcurrency;
}
