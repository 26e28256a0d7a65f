/*
 * How numbers, shares, sizes, durations and times are written for people. Every process uses these functions, and so do
 * the workflows. So this file imports nothing, and its results depend only on the arguments.
 */

const counts = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** Formats a count: `12,345`. */
export function formatCount(value: number | bigint): string {
  return counts.format(value);
}

/** Formats a count with the name of what is counted: `1 company`, `1,204 companies`. By default, the plural ends in s. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** Formats a number with thousands separators: `12,345.678`. At most three decimal places, unless `options` say otherwise. */
export function formatNumber(value: number | bigint, options: Intl.NumberFormatOptions = {}): string {
  return new Intl.NumberFormat('en-US', options).format(value);
}

/**
 * Formats a share from 0 to 1 as a percentage: `97.33 %`. Rounds down, so that only a full share shows as 100 %. A
 * small share shows as `< 0.01 %`, so that only 0 shows as 0 %.
 */
export function formatShare(share: number): string {
  // Add a little, because 0.57 * 10,000 is 5,699.999999999999.
  const hundredths = Math.floor(share * 10_000 + 1e-6);
  return share > 0 && hundredths === 0 ? '< 0.01 %' : `${hundredths / 100} %`;
}

/**
 * Formats the progress of a step in whole percent: `42 %`. Rounds down, so that only a finished step shows 100 %.
 * Returns `?` while the total is unknown.
 */
export function formatPercent(done: number, total: number | null): string {
  if (total === null) return '?';
  return total === 0 ? '100 %' : `${Math.min(100, Math.floor((done / total) * 100))} %`;
}

/** Formats a rate per second: `0.4/s`, `12/s`, `1,204/s`. */
export function formatRate(perSecond: number): string {
  return `${perSecond >= 10 ? formatCount(perSecond) : perSecond.toFixed(1)}/s`;
}

/**
 * Formats a duration in milliseconds, in at most two units: `0.8s`, `42s`, `3m 05s`, `2h 07m`, `3d 04h`. Leaves out a
 * second unit of 0: `45m`.
 */
export function formatDuration(ms: number): string {
  if (ms < 10_000) return `${(Math.max(0, ms) / 1_000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return inTwo(minutes, 'm', seconds % 60, 's');
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? inTwo(hours, 'h', minutes % 60, 'm') : inTwo(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

function inTwo(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit} ${String(small).padStart(2, '0')}${smallUnit}`;
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Formats a number of bytes in the largest unit in which the number is at least 1: `512 B`, `12.4 MiB`. */
export function formatBytes(bytes: number): string {
  let size = bytes;
  let unit = 0;
  for (; size >= 1_024 && unit < UNITS.length - 1; unit++) size /= 1_024;
  return `${size >= 100 || unit === 0 ? formatCount(size) : size.toFixed(1)} ${UNITS[unit]}`;
}

/** Formats an ISO instant in UTC to the minute: `2026-11-20 21:14 UTC`. */
export function formatInstant(iso: string): string {
  return `${iso.slice(0, 16).replace('T', ' ')} UTC`;
}
