/** A lease that is not renewed ends after this time. */
export const LEASE_MS = 30_000;

/** While a job runs, its lease is renewed at this interval. */
export const RENEWAL_INTERVAL_MS = 10_000;

/**
 * Shortest remaining time of a lease in which a request may begin. With less, another node could take over the job
 * during the request.
 */
export const LEASE_REMAINING_MIN_MS = 5_000;

/** Longest time from now to the end of a lease, with a margin for different clocks. */
export const LEASE_AHEAD_MAX_MS = 60_000;
