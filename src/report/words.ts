/* Formats numbers and times for people. */

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** Formats a whole number with thousands separators; a dash for null. */
export function count(value: number | null): string {
  return value === null ? '–' : whole.format(value);
}

/** Formats the change since the previous night: `+12`, `−3`, `±0`. */
export function signed(value: number): string {
  if (value === 0) return '±0';
  return `${value > 0 ? '+' : '−'}${whole.format(Math.abs(value))}`;
}

/** Formats a share as a percentage. Rounds down, so that 100 % always means all. */
export function percent(share: number): string {
  if (share >= 1) return '100 %';
  const floored = Math.floor(share * 10_000) / 100;
  return share > 0 && floored === 0 ? '< 0.01 %' : `${floored} %`;
}

/** Formats a number of bytes in the largest unit in which the number is at least 1. */
export function bytes(value: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let size = value;
  let unit = 0;
  while (size >= 1024 && unit < units.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${size >= 100 || unit === 0 ? size.toFixed(0) : size.toFixed(1)} ${units[unit]}`;
}

/** Formats seconds in the two largest units: `42 s`, `3 min 5 s`, `2 h 7 min`. */
export function duration(seconds: number | null): string {
  if (seconds === null) return '–';
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** Formats milliseconds. Shows one decimal below 10 ms, and seconds with one decimal from 1 s on. */
export function milliseconds(value: number | null): string {
  if (value === null) return '–';
  return value >= 1000 ? `${(value / 1000).toFixed(1)} s` : `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`;
}

/** Shortens `2026-11-20T02:00:00.123Z` to `2026-11-20 02:00`. */
export function instant(iso: string): string {
  return iso.slice(0, 16).replace('T', ' ');
}
