/** Headers in which gateways say that they answered from a cache. Only `Cache-Status` and `Age` are standards. */
const HITS: Record<string, RegExp> = {
  // RFC 9111: the seconds since the origin made or confirmed the answer.
  age: /^\s*0*[1-9]/,
  // RFC 9211: one entry for each cache on the way, such as `edge; hit; ttl=40`.
  'cache-status': /;\s*hit\b(?!\s*=\s*\?0)/i,
  'x-cache': /hit|stale|refresh/i,
  'cf-cache-status': /hit|stale|updating|revalidated/i,
  // RFC 7234: 110 is a stale answer, 111 a failed revalidation, 112 and 113 an answer without or older than a day.
  warning: /\b11[0-3]\b/,
};

/**
 * Whether an answer was made earlier and came from a cache. Its `Date` is then older than the answer's arrival. Misses a
 * cache that names itself in none of the usual headers.
 * @param header returns the value of a header by its lower-case name
 */
export function isFromCache(header: (name: string) => string | null | undefined): boolean {
  return Object.entries(HITS).some(([name, hit]) => hit.test(header(name) ?? ''));
}
