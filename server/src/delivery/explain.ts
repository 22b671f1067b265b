import type { ProviderName } from "#providers/provider.ts";
import type { DeliveryCode } from "./delivery.ts";

/** What is known of one device's delivery. */
export interface Standing {
  readonly code: DeliveryCode;
  readonly provider: ProviderName;
  readonly detail: string | null;
  /** When it is tried again; null where it is not. */
  readonly retryAt: number | null;
}

const SERVICE: Readonly<Record<ProviderName, string>> = {
  apns: "Apple",
  fcm: "Google",
  webpush: "the browser's push service",
};

const NAME: Readonly<Record<ProviderName, string>> = {
  apns: "APNs",
  fcm: "FCM",
  webpush: "Web Push",
};

/** Returns the sentence that tells a person where a delivery stands and why. */
export function explain({ code, provider, detail, retryAt }: Standing): string {
  const again = retryAt === null ? "" : ` Retrying at ${new Date(retryAt).toISOString()}.`;
  const reason = detail === null ? "" : ` (${detail})`;
  switch (code) {
    case "accepted":
      return `Accepted by ${SERVICE[provider]}. Delivery to the device is up to the service.`;
    case "queued":
      return "The first attempt has not finished yet.";
    case "transient":
    case "ambiguous":
    case "suspect":
      return `The push service did not answer properly${reason}.${again}`;
    case "unreachable":
      return `This server could not reach the push service${reason}.${again}`;
    case "rate_limited":
      return `The push service asked us to slow down.${again}`;
    case "provider_misconfigured":
      return `This server's ${NAME[provider]} credentials were refused${reason}.${again}`;
    case "device_gone":
      return "The device is no longer registered. It has been removed.";
    case "subscription_key_changed":
      return "The subscription was made with a different server key. Open the app on the device to register again.";
    case "device_invalid":
      return "The device's push address is not valid. It has been removed.";
    case "payload_too_large":
      return "The notification is too large for this device even after shortening.";
    case "rejected":
      return `The push service refused the notification${reason}.`;
    case "endpoint_not_allowed":
      return `The push address's host${reason} is not allowed by this server.`;
    case "provider_not_configured":
      return `This server has no ${NAME[provider]} credentials. Use the web app on this device.`;
    case "paused":
      return "Paused by its owner; nothing was sent to this device.";
    case "expired":
      return `Not delivered before it expired.${detail === null ? "" : ` Last problem: ${detail}`}`;
    case "cancelled":
      return "Cancelled because the device was removed or left the team.";
  }
}
