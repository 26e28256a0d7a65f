/** The market of the sandbox in benchmarks of a crawl, without its number of companies. */
export const MARKET = { tenders: 0, seed: 1, date: '2026-11-20' };
