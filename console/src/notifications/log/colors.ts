import type { DeliveryState } from "@tocsin/sdk";

/** Theme colours of the states of a delivery: done, in progress, failed. */
export const COLORS: Readonly<Record<DeliveryState, string>> = {
  queued: "accent",
  retrying: "yellow",
  held: "yellow",
  accepted: "green",
  gone: "red",
  rejected: "red",
  expired: "red",
  failed: "red",
  cancelled: "gray",
  skipped: "gray",
};
