/** Headers of each page. They forbid scripts, frames, copies in a cache, and the address in `Referer`. */
export const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

/** Returns a page with a title and one sentence. Both are fixed texts, so nothing needs escaping. */
export function page(title: string, text: string): string {
  return (
    '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">' +
    `<title>${title}</title><style>body { font: 16px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 0 auto; padding: 3rem 1.25rem; color: #1c2430 }</style>` +
    `</head><body><h1>${title}</h1><p>${text}</p></body></html>\n`
  );
}

/** The last page of a sign-in. */
export const DONE = page(
  'You can close this window',
  'The answer has reached Tidemark. Your terminal shows whether the sign-in succeeded.',
);

/** Page for a request that does not belong to the sign-in. */
export const FOREIGN = page(
  'Not accepted',
  'This request does not belong to the sign-in that waits here. Start again with tidemark login.',
);

/** Page for a second answer to the same sign-in. */
export const USED = page('Already used', 'This sign-in already has its answer. Start again with tidemark login.');
