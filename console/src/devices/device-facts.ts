import type { Device, ProviderName } from "@tocsin/sdk";

/** Whether a device works, or its owner may need to act. */
export type DeviceStatus =
  /** Receives notifications, with no known problem. */
  | "active"
  | "paused"
  /** The last delivery is late, because it is being retried or its push service is held. */
  | "late"
  /** The last delivery failed. */
  | "trouble";

/** Returns the status of a device. */
export function toDeviceStatus({
  paused,
  lastDelivery,
}: Pick<Device, "paused" | "lastDelivery">): DeviceStatus {
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

/**
 * Returns whether a device is a phone or tablet. A browser's default name contains its system, such as `Safari on
 * iPhone`.
 */
export function isPhone({ platform, name }: Pick<Device, "platform" | "name">): boolean {
  return platform !== "web" || /iPhone|iPad|Android/.test(name);
}

/**
 * Returns the company of a device's push service, or the host if the company is unknown. Null for an app, which no push
 * service reaches.
 */
export function getServiceName({
  provider,
  endpointHost,
}: Pick<Device, "provider" | "endpointHost">): string | null {
  if (provider === "stream") return null;
  if (provider !== "webpush") return COMPANIES_BY_PROVIDER[provider];
  const host = endpointHost ?? "";
  return COMPANIES_BY_HOST.find(([pattern]) => pattern.test(host))?.[1] ?? host;
}

const COMPANIES_BY_PROVIDER: Readonly<Record<Exclude<ProviderName, "webpush" | "stream">, string>> =
  {
    apns: "Apple",
    fcm: "Google",
  };

const COMPANIES_BY_HOST: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\.)push\.apple\.com$/, "Apple"],
  [/(?:^|\.)(?:googleapis|google)\.com$/, "Google"],
  [/(?:^|\.)mozilla\.com$/, "Mozilla"],
  [/(?:^|\.)windows\.com$/, "Microsoft"],
];
