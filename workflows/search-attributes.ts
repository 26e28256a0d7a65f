import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

/**
 * `tidemark setup` registers this search attribute. Its value must not contain names of companies or people: Temporal
 * does not encrypt search attributes.
 */
export const MARKET_ATTRIBUTE = defineSearchAttributeKey('TidemarkMarket', SearchAttributeType.KEYWORD);
export const DATE_ATTRIBUTE = defineSearchAttributeKey('TidemarkDate', SearchAttributeType.KEYWORD);

/** Set by Temporal on scheduled runs: the nominal time, from which the logical date is derived. */
export const SCHEDULED_TIME = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);
