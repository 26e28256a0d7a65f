import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';

/*
 * `tidemark setup` registers these search attributes. Their values must not contain names of companies or people:
 * Temporal does not encrypt search attributes.
 */

export const MARKET_ATTRIBUTE = defineSearchAttributeKey('TidemarkMarket', SearchAttributeType.KEYWORD);
export const DATE_ATTRIBUTE = defineSearchAttributeKey('TidemarkDate', SearchAttributeType.KEYWORD);

/** How the run ended (`complete`, `partial`, `stopped`, `failed` or `cancelled`), or `running`. */
export const OUTCOME_ATTRIBUTE = defineSearchAttributeKey('TidemarkOutcome', SearchAttributeType.KEYWORD);
/** What the run does, as in `Progress.phase`. A failed or cancelled run keeps its last phase. */
export const PHASE_ATTRIBUTE = defineSearchAttributeKey('TidemarkPhase', SearchAttributeType.KEYWORD);
/** Found companies divided by reported companies, 0 to 1. Not set before the search ends. */
export const COVERAGE_ATTRIBUTE = defineSearchAttributeKey('TidemarkCoverage', SearchAttributeType.DOUBLE);
/** Rejects of the run. Not set before its answers are loaded. */
export const REJECTS_ATTRIBUTE = defineSearchAttributeKey('TidemarkRejects', SearchAttributeType.INT);

/** Commands and schedules need these attributes. Without them, no worker starts. */
export const REQUIRED_ATTRIBUTES = [MARKET_ATTRIBUTE, DATE_ATTRIBUTE];
/** Show a run's state in the list of the Temporal UI. A run sets those that its namespace has. */
export const STATE_ATTRIBUTES = [OUTCOME_ATTRIBUTE, PHASE_ATTRIBUTE, COVERAGE_ATTRIBUTE, REJECTS_ATTRIBUTE];

/** Set by Temporal on scheduled runs: the time for which the schedule planned the run. It gives the logical date. */
export const SCHEDULED_TIME = defineSearchAttributeKey('TemporalScheduledStartTime', SearchAttributeType.DATETIME);
