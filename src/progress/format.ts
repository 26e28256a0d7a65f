import { formatCount } from '../core/format-number.js';

/** Formats a rate per second: `0.4/s`, `12/s`, `1,204/s`. */
export function formatRate(perSecond: number): string {
  return `${perSecond >= 10 ? formatCount(perSecond) : perSecond.toFixed(1)}/s`;
}

/** Formats a duration in milliseconds: `0.8s`, `42s`, `3m05s`, `2h07m`, `3d04h`. */
export function formatDuration(ms: number): string {
  if (ms < 10_000) return `${(Math.max(0, ms) / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const two = (n: number): string => String(n).padStart(2, '0');
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${two(seconds % 60)}s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours}h${two(minutes % 60)}m`;
  return `${Math.floor(hours / 24)}d${two(hours % 24)}h`;
}

/**
 * Formats a share as a percentage. Rounds down, so that only a complete step shows 100%. Returns `?` while the total is
 * unknown.
 */
export function formatPercent(done: number, total: number | null): string {
  if (total === null) return '?';
  if (total === 0) return '100%';
  return `${Math.min(100, Math.floor((done / total) * 100))}%`;
}
