import { DAY_MS } from "#schema/timestamp.ts";

/** Audit events are deleted after this time. */
export const EVENT_RETENTION_MS = 365 * DAY_MS;

/** The network addresses in audit events are deleted after this time. */
export const ADDRESS_RETENTION_MS = 30 * DAY_MS;
