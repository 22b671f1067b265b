import type { DeliveryState } from "@tocsin/sdk";

/** The colours of the theme for the states of a delivery: done, under way, in vain. */
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
