/** Formats a count for reasons and forecasts: `12,345`. */
export function formatCount(value: number): string {
  return value.toLocaleString('en-US');
}
