import type { DeliveryState } from "@tocsin/sdk";

/** The theme colour of each delivery state. */
export const STATE_COLORS: Readonly<Record<DeliveryState, string>> = {
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
