import { PROVIDER_LABELS, type ProviderName } from "@tocsin/sdk";
import { formatTimestamp } from "#schema/timestamp.ts";
import type { DeliveryResult, NewNotification, PendingDevice } from "./delivery.ts";
import {
  explainAppCode,
  explainKept,
  explainProof,
  type ExplainedApp,
} from "./result/explain-app.ts";

/** Creation and expiry of a notification, in milliseconds since the epoch. */
export type NotificationLifetime = Pick<NewNotification, "createdAt" | "expiresAt">;

/**
 * Returns a human-readable sentence that says how a delivery ended and why. Omits the lifetime if it is null. `app` is
 * null unless the device fetches its messages.
 */
export function explainFinalResult(
  result: DeliveryResult,
  lifetime: NotificationLifetime | null,
  app: ExplainedApp | null = null,
): string {
  const { code, attempts, detail } = result;
  const lastProblem = detail === null ? "" : ` Last problem: ${detail}`;
  if (code === "expired") {
    const duration =
      lifetime === null ? "" : ` (${formatDuration(lifetime.expiresAt - lifetime.createdAt)})`;
    return `Not delivered before it expired${duration}.${lastProblem}`;
  }
  if (code === "gave_up") return `Gave up after ${attempts} attempts.${lastProblem}`;
  if (code === "accepted" && result.provider === "stream") return explainProof(result, app);
  return explainCode(result);
}

/**
 * Returns a human-readable sentence that says why a delivery is unfinished and, after a failure, how long it is kept or
 * when it is retried.
 */
export function explainWaiting(
  { code, detail, runAt }: Pick<PendingDevice, "code" | "detail" | "runAt">,
  {
    provider,
    lifetime,
    app = null,
  }: {
    readonly provider: ProviderName;
    readonly lifetime: NotificationLifetime | null;
    readonly app?: ExplainedApp | null;
  },
): string {
  if (code === "app_not_connected")
    return explainKept({ detail, expiresAt: lifetime?.expiresAt ?? null }, app);
  if (code === null) return explainCode({ provider, code: "queued", detail });
  const problem = explainCode({ provider, code, detail });
  return code === "provider_misconfigured"
    ? `${problem} The message is kept until ${lifetime === null ? "it expires" : formatTimestamp(lifetime.expiresAt)}.`
    : `${problem} Retrying at ${formatTimestamp(runAt)}.`;
}

const SERVICE_NAMES: Readonly<Record<ProviderName, string>> = {
  apns: "Apple",
  fcm: "Google",
  webpush: "the browser's push service",
  stream: "the app",
};

/** Returns the sentence for a result code. */
export function explainCode({
  provider,
  code,
  detail,
}: Pick<DeliveryResult, "provider" | "code" | "detail">): string {
  const detailText = detail === null ? "" : ` (${detail})`;
  switch (code) {
    case "accepted":
      return `Accepted by ${SERVICE_NAMES[provider]}. Delivery to the device is up to the service.`;
    case "queued":
      return "The first attempt has not finished yet.";
    case "app_not_connected":
    case "not_subscribed":
      return explainAppCode(code, detail);
    case "transient":
    case "ambiguous":
    case "suspect":
      return `The push service did not respond properly${detailText}.`;
    case "unreachable":
      return `This server could not reach the push service${detailText}.`;
    case "rate_limited":
      return "The push service asked us to slow down.";
    case "provider_misconfigured":
      return `This server's ${PROVIDER_LABELS[provider]} credentials were refused${detailText}.`;
    case "device_gone":
      return "The device is no longer registered. It has been removed.";
    case "subscription_key_changed":
      return "The subscription was made with a different server key. Open the app on the device to register again.";
    case "device_invalid":
      return "The device's push address is not valid. It has been removed.";
    case "payload_too_large":
      return "The notification is too large for this device even after shortening.";
    case "rejected":
      return `The push service refused the notification${detailText}.`;
    case "endpoint_not_allowed":
      return `The push address's host${detailText} is not allowed by this server.`;
    case "provider_not_configured":
      return `This server has no ${PROVIDER_LABELS[provider]} credentials. Use the web app or UnifiedPush on this device.`;
    case "paused":
      return "Paused by its owner; nothing was sent to this device.";
    case "expired":
      return "Not delivered before it expired.";
    case "gave_up":
      return "Gave up.";
    case "crashed":
      return "This server's process crashed while it sent the message, because of a bug in Tocsin or a fault of the machine.";
    case "acknowledged":
      return "Not sent, because somebody acknowledged the incident first.";
    case "resolved":
      return "Not sent, because the incident was resolved first.";
    case "answered":
      return "Not sent, because the question was answered first.";
    case "question_ended":
      return "Not sent, because the question expired or was withdrawn first.";
    case "not_replaceable":
      return "Not sent: this browser cannot replace the earlier notification, and would show another one.";
    case "cancelled":
      return "Cancelled because the device was removed or left the team.";
  }
}

/** The units from the largest on, each with its length in seconds. */
const DURATION_UNITS = [
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
  ["s", 1],
] as const;

/** Formats a duration in the largest unit that is exact. */
function formatDuration(ms: number): string {
  const seconds = Math.max(1, Math.round(ms / 1_000));
  const [unit, size] = DURATION_UNITS.find(([, size]) => seconds % size === 0) ?? ["s", 1];
  return `${seconds / size} ${unit}`;
}
