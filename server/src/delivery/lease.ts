/** A lease holds for this long, unless it is renewed. */
export const LEASE_MS = 30_000;

/** Leases are renewed this often while work goes on. */
export const RENEW_EVERY_MS = 10_000;

/** No request is begun when less than this is left of the lease: it could end under another's work. */
export const LEASE_GUARD_MS = 5_000;

/** The furthest end of a lease from now, with room for clocks that differ. */
export const LEASE_AHEAD_MAX_MS = 60_000;
