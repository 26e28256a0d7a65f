import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

/** Registered by `tidemark setup`. They carry no names of companies or people: visibility is not encrypted. */
export const MARKET_ATTRIBUTE = defineSearchAttributeKey('TidemarkMarket', SearchAttributeType.KEYWORD);
export const DATE_ATTRIBUTE = defineSearchAttributeKey('TidemarkDate', SearchAttributeType.KEYWORD);

/** Set by Temporal on what a schedule starts: the nominal time, which is where the logical date comes from. */
export const SCHEDULED_TIME = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);
