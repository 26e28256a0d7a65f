/**
 * Largest number of requests in flight that a user may set, in the configuration or for a run. The limit protects against
 * typing errors.
 */
export const MOST_IN_FLIGHT = 512;
