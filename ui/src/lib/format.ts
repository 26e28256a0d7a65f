import type { Cell } from '../../../schemas/explorer/api.js';

const COUNT = new Intl.NumberFormat('en');
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });
const SHARE = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1, signDisplay: 'auto' });
const GROWTH = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1, signDisplay: 'exceptZero' });

export const NONE = '–';

/** Formats a number with thousands separators; a dash for null. */
export function count(value: Cell | undefined): string {
  return isNumber(value) ? COUNT.format(Number(value)) : NONE;
}

/** Formats a number in short, such as `1.23M`. */
export function short(value: Cell | undefined): string {
  return isNumber(value) ? SHORT.format(Number(value)) : NONE;
}

/** Formats an amount of money in short, with its currency. */
export function money(value: Cell | undefined, currency: Cell | undefined): string {
  if (!isNumber(value)) return NONE;
  return `${SHORT.format(Number(value))}${typeof currency === 'string' ? ` ${currency}` : ''}`;
}

/** Formats 0.123 as `12.3%`. */
export function share(value: Cell | undefined): string {
  return isNumber(value) ? SHARE.format(Number(value)) : NONE;
}

/** Formats a growth of 0.123 as `+12.3%`. */
export function growth(value: Cell | undefined): string {
  return isNumber(value) ? GROWTH.format(Number(value)) : NONE;
}

/** Shortens an instant to minutes: `2026-11-23 06:20`. Days stay as they are. */
export function instant(value: Cell | undefined): string {
  if (typeof value !== 'string' || value === '') return NONE;
  return value.length > 10 ? value.slice(0, 16).replace('T', ' ') : value;
}

/** Returns a day or an instant in milliseconds since 1970. Without a zone, it is in UTC. */
export function timeOf(value: Cell | undefined): number {
  const text = cell(value).replace(' ', 'T');
  return Date.parse(/^\d{4}-\d{2}-\d{2}T[\d:.]+$/.test(text) ? `${text}Z` : text);
}

/** Formats a cell of any type. */
export function cell(value: Cell | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'object') return JSON.stringify(value);
  return String(value);
}

/** Formats seconds: `45 s`, `3 min 20 s`, `2 h 5 min`. */
export function duration(seconds: Cell | undefined): string {
  if (!isNumber(seconds)) return NONE;
  const all = Math.round(Number(seconds));
  if (all < 60) return `${all} s`;
  if (all < 3600) return `${Math.floor(all / 60)} min ${all % 60} s`;
  return `${Math.floor(all / 3600)} h ${Math.floor((all % 3600) / 60)} min`;
}

/** Returns the address if a browser may open it; null for any other scheme, such as `javascript:`. */
export function webAddress(value: Cell | undefined): string | null {
  if (typeof value !== 'string' || value.trim() === '') return null;
  const text = /^https?:\/\//i.test(value.trim()) ? value.trim() : `https://${value.trim()}`;
  try {
    const url = new URL(text);
    return (url.protocol === 'https:' || url.protocol === 'http:') && url.hostname.includes('.') ? url.href : null;
  } catch {
    return null;
  }
}

function isNumber(value: Cell | undefined): value is number | string {
  return typeof value === 'number' || (typeof value === 'string' && value !== '' && Number.isFinite(Number(value)));
}
