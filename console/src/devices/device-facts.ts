import type { Device } from "@tocsin/sdk";

/** How a device stands, as far as its owner has to do something. */
export type Standing =
  /** Sent to, and nothing is known against it. */
  | "active"
  | "paused"
  /** What was sent last is late: it is being tried, or held back. */
  | "late"
  /** What was sent last did not arrive. */
  | "trouble";

/** Returns how a device stands. */
export function standingOf({
  paused,
  lastDelivery,
}: Pick<Device, "paused" | "lastDelivery">): Standing {
  if (paused) return "paused";
  switch (lastDelivery?.state) {
    case "retrying":
    case "held":
      return "late";
    case "gone":
    case "rejected":
    case "expired":
    case "failed":
      return "trouble";
    case "queued":
    case "accepted":
    case "cancelled":
    case "skipped":
    case undefined:
      return "active";
  }
}

/** Returns whether a device is a phone or tablet: browsers on them are named after them when they come. */
export function isPhone({ platform, name }: Pick<Device, "platform" | "name">): boolean {
  return platform !== "web" || /iPhone|iPad|Android/.test(name);
}

/** Returns whose push service reaches a device; the host itself for those that few know. */
export function serviceOf({
  provider,
  endpointHost,
}: Pick<Device, "provider" | "endpointHost">): string {
  if (provider === "apns") return "Apple";
  if (provider === "fcm") return "Google";
  const host = endpointHost ?? "";
  return SERVICES.find(([pattern]) => pattern.test(host))?.[1] ?? host;
}

const SERVICES: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\.)push\.apple\.com$/, "Apple"],
  [/(?:^|\.)(?:googleapis|google)\.com$/, "Google"],
  [/(?:^|\.)mozilla\.com$/, "Mozilla"],
  [/(?:^|\.)windows\.com$/, "Microsoft"],
];
