import type { CloseRunInput, CrawlChunkInput } from '../../schemas/pipeline/activities.js';

/** Fields of `CrawlChunkInput` for a chunk alone, without limits. */
export const ALONE = { budget: null } satisfies Partial<CrawlChunkInput>;

/** Fields of `CloseRunInput` for a run whose landing zone need not be checked. */
export const UNCHECKED = { crawled: null, why: [], refused: [], landed: null } satisfies Partial<CloseRunInput>;
