import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

/**
 * Search attribute that `tidemark setup` registers. Its values must not contain names of companies or people, because
 * Temporal does not encrypt search attributes.
 */
export const MARKET_ATTRIBUTE = defineSearchAttributeKey('TidemarkMarket', SearchAttributeType.KEYWORD);
export const DATE_ATTRIBUTE = defineSearchAttributeKey('TidemarkDate', SearchAttributeType.KEYWORD);

/** Set by Temporal on scheduled runs: the nominal start time. The logical date is derived from it. */
export const SCHEDULED_TIME = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);
