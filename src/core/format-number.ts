const counts = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** Formats a count: `12,345`. */
export function formatCount(value: number | bigint): string {
  return counts.format(value);
}

/** Formats a number with thousands separators: `12,345.678`. At most three decimal places, unless `options` say other. */
export function formatNumber(value: number | bigint, options: Intl.NumberFormatOptions = {}): string {
  return new Intl.NumberFormat('en-US', options).format(value);
}
