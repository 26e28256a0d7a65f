/**
 * Returns the common form of all spellings of a path: without query, host, repeated slashes, dot segments and a slash
 * at its end, and with only the needed percent-encoding (RFC 3986, 6.2.2). Upper and lower case stay different. Pure.
 * @param target a path, or the target of a request: a path with a query, or a whole address (RFC 9112, 3.2)
 */
export function commonPath(target: string): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '');
  const segments: string[] = [];
  for (const segment of decodeUnreserved(path).split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return `/${segments.join('/')}`;
}

/** Decodes letters that need no percent-encoding, and writes all other codes in upper case. */
function decodeUnreserved(path: string): string {
  return path
    .replaceAll(/[^\x21-\x7e]/gu, (sign) => Buffer.from(sign).toString('hex').replaceAll(/../g, '%$&'))
    .replaceAll(/%[0-9a-f]{2}/gi, (code) => {
      const sign = String.fromCharCode(Number.parseInt(code.slice(1), 16));
      return /[\w.~-]/.test(sign) ? sign : code.toUpperCase();
    });
}

/** Whether two callbacks are the same address, such as `https://HOST:443/a` and `https://host/a`. Pure. */
export function isSameAddress(one: string, other: string): boolean {
  if (!URL.canParse(one) || !URL.canParse(other)) return one === other;
  return new URL(one).href === new URL(other).href;
}
