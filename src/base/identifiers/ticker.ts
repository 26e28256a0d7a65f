import { isPlaceholder, plainText, settle, type Given, type Sameness } from './text.js';

/** Writes a stock ticker in capitals, without `$`. */
export function normalizeTicker(value: string): string {
  return settle(value, (given) =>
    isPlaceholder(given)
      ? ''
      : plainText(given)
          .toUpperCase()
          .replace(/^\$\s*/, ''),
  );
}

/** Takes a ticker apart. `XCSE:ABC` and `ABC DC` name an exchange. */
function parse(value: string): { symbol: string; exchange: string | null } {
  const ticker = normalizeTicker(value);
  const [, before, after] = /^([A-Z]+):\s*(.+)$/.exec(ticker) ?? [];
  if (before !== undefined && after !== undefined) return { symbol: share(after), exchange: before };
  const [, symbol, exchange] = /^(\S+) ([A-Z]{2,4})$/.exec(ticker) ?? [];
  return symbol === undefined || exchange === undefined
    ? { symbol: share(ticker), exchange: null }
    : { symbol: share(symbol), exchange };
}

/** Writes the class of a share in one way: `ABC.B`, `ABC/B` and `ABC-B`. */
function share(symbol: string): string {
  return symbol.replaceAll(/[/_ -]/g, '.');
}

/** Compares two tickers. The same ticker on two exchanges may belong to two companies. */
export function sameTicker(one: Given, other: Given): Sameness {
  const [a, b] = [parse(one.value), parse(other.value)];
  if (a.symbol === '' || b.symbol === '') return 'unknown';
  if (a.symbol !== b.symbol) return 'different';
  return a.exchange === b.exchange ? 'equal' : 'unknown';
}

/** Returns the ticker without the exchange, if the given one names an exchange. */
export function tickerSpellings(value: string): string[] {
  const { symbol, exchange } = parse(value);
  return exchange === null ? [] : [symbol];
}
