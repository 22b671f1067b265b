/** Duration of a lease without a renewal. */
export const LEASE_MS = 30_000;

/** Interval of renewals while work continues. */
export const RENEW_EVERY_MS = 10_000;

/** Shortest rest of a lease that allows a new request. Otherwise, another node could take over the job during the request. */
export const LEASE_GUARD_MS = 5_000;

/** Longest time from now to the end of a lease, with a margin for different clocks. */
export const LEASE_AHEAD_MAX_MS = 60_000;
