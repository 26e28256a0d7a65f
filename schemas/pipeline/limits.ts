/**
 * Largest number of requests in flight that a user may set, in the configuration or for a run. The limit protects against
 * typing errors.
 */
export const MOST_IN_FLIGHT = 512;

/** Longest duration in seconds: 100 years. A longer age would lead to dates that clocks and SQL cannot represent. */
export const LONGEST_DURATION = 36_500 * 86_400;

/** Form of a run id. Run ids become part of paths, so they must not lead out of a folder. */
export const RUN_ID = /^[A-Za-z0-9][\w.-]{0,199}$/;
