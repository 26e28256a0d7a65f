/* Figures as people read them. */

const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** A whole number with thousands apart; a dash where there is none. */
export function count(value: number | null): string {
  return value === null ? '–' : whole.format(value);
}

/** A change against the night before: `+12`, `−3`, `±0`. */
export function signed(value: number): string {
  if (value === 0) return '±0';
  return `${value > 0 ? '+' : '−'}${whole.format(Math.abs(value))}`;
}

/** A share as a percentage, rounded down so that 100 % means all of it. */
export function percent(share: number): string {
  if (share >= 1) return '100 %';
  const floored = Math.floor(share * 10_000) / 100;
  return share > 0 && floored === 0 ? '< 0.01 %' : `${floored} %`;
}

/** Bytes in the largest unit of which there is at least one. */
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

/** Seconds in the two largest units. */
export function duration(seconds: number | null): string {
  if (seconds === null) return '–';
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

/** Milliseconds, with one digit behind the point where that matters. */
export function milliseconds(value: number | null): string {
  if (value === null) return '–';
  return value >= 1000 ? `${(value / 1000).toFixed(1)} s` : `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`;
}

/** `2026-11-20T02:00:00.123Z` as `2026-11-20 02:00`. */
export function instant(iso: string): string {
  return iso.slice(0, 16).replace('T', ' ');
}
