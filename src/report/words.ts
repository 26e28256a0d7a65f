import { formatCount, formatDuration } from '../../schemas/format.js';

/* Formats of the report that other texts do not need. */

/** Formats a whole number with thousands separators; a dash for null. */
export function count(value: number | null): string {
  return value === null ? '–' : formatCount(value);
}

/** Formats the change since the previous night: `+12`, `−3`, `±0`. */
export function signed(value: number): string {
  if (value === 0) return '±0';
  return `${value > 0 ? '+' : '−'}${formatCount(Math.abs(value))}`;
}

/** Formats a duration in seconds; a dash for null. */
export function duration(seconds: number | null): string {
  return seconds === null ? '–' : formatDuration(seconds * 1_000);
}

/** Formats milliseconds. Shows one decimal below 10 ms, and seconds with one decimal from 1 s on. */
export function milliseconds(value: number | null): string {
  if (value === null) return '–';
  return value >= 1000 ? `${(value / 1000).toFixed(1)} s` : `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`;
}
