/** Maximum number of concurrent requests of a node to one Web Push service. */
export const WEB_PUSH_CONCURRENCY_MAX = 20;

const RESULTS_PER_BATCH_MAX = 64;

/** Maximum number of results that a node has not committed: one batch in progress, and one that fills. */
const UNCOMMITTED_RESULTS_MAX = 2 * RESULTS_PER_BATCH_MAX;

/** Maximum number of messages sent twice because a node crashed or froze. */
export const DUPLICATES_PER_CRASH_MAX = WEB_PUSH_CONCURRENCY_MAX + UNCOMMITTED_RESULTS_MAX;
