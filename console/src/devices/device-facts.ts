import type { Device, ProviderName } from "@tocsin/sdk";

/** State of a device, as far as its owner has to act on it. */
export type Standing =
  /** Sent to, with no known problem. */
  | "active"
  | "paused"
  /** The last delivery is late: it is being retried, or its service is held. */
  | "late"
  /** The last delivery did not arrive. */
  | "trouble";

/** Returns the state of a device. */
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

/** Returns whether a device is a phone or tablet: a browser on one is named after it when it registers. */
export function isPhone({ platform, name }: Pick<Device, "platform" | "name">): boolean {
  return platform !== "web" || /iPhone|iPad|Android/.test(name);
}

/** Returns the company whose push service reaches a device, or the host itself for an unknown one. */
export function serviceOf({
  provider,
  endpointHost,
}: Pick<Device, "provider" | "endpointHost">): string {
  if (provider !== "webpush") return MAKERS[provider];
  const host = endpointHost ?? "";
  return SERVICES.find(([pattern]) => pattern.test(host))?.[1] ?? host;
}

const MAKERS: Readonly<Record<Exclude<ProviderName, "webpush">, string>> = {
  apns: "Apple",
  fcm: "Google",
};

const SERVICES: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\.)push\.apple\.com$/, "Apple"],
  [/(?:^|\.)(?:googleapis|google)\.com$/, "Google"],
  [/(?:^|\.)mozilla\.com$/, "Mozilla"],
  [/(?:^|\.)windows\.com$/, "Microsoft"],
];
