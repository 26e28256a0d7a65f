import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

/** Registered by `tidemark setup`. They carry no names of companies or people: visibility is not encrypted. */
export const MARKET_ATTRIBUTE = defineSearchAttributeKey('TidemarkMarket', SearchAttributeType.KEYWORD);
export const DATE_ATTRIBUTE = defineSearchAttributeKey('TidemarkDate', SearchAttributeType.KEYWORD);
