import {
  APP_PROOFS,
  DELIVERY_STATES,
  type Delivery,
  type DeliveryCode,
  type DeliveryCounts,
  type DeliveryState,
} from "@tocsin/sdk";
import {
  getWaitState,
  type AttemptCode,
  type DeliveryResult,
  type FinalState,
  type NewNotification,
  type PendingDevice,
} from "#delivery/delivery.ts";
import {
  explainFinalResult,
  explainWaiting,
  type NotificationLifetime,
} from "#delivery/explain.ts";
import type { ExplainedApp } from "#delivery/result/explain-app.ts";
import type { NamedDevice } from "#devices/store/devices.ts";
import { formatTimestamp } from "#schema/timestamp.ts";

/** Returns the result of one device's ended delivery, with a human-readable message. */
export function explainResult(
  { result, device }: { result: DeliveryResult; device: NamedDevice | null },
  lifetime: NotificationLifetime,
): Delivery {
  const { deviceId, provider, state, attempts, at } = result;
  // The API publishes every code of a result.
  const code: DeliveryCode = result.code;
  return {
    deviceId,
    deviceName: device?.name ?? REMOVED_DEVICE_NAME,
    provider,
    state,
    code,
    message: explainFinalResult(result, lifetime, toExplainedApp(device)),
    ...findProof(result),
    attempts,
    updatedAt: formatTimestamp(at),
  };
}

/**
 * Returns the state of one device's unfinished delivery, with a human-readable message. The provider of a removed
 * device is unknown and given as Web Push.
 */
export function explainPending(
  { pending, device }: { pending: PendingDevice; device: NamedDevice | null },
  notification: NewNotification,
): Delivery {
  const { deviceId, attempts, code, history } = pending;
  const provider = device?.provider ?? "webpush";
  return {
    deviceId,
    deviceName: device?.name ?? REMOVED_DEVICE_NAME,
    provider,
    state: getWaitState(pending),
    code: code === null ? "queued" : toPublicCode(code),
    message: explainWaiting(pending, {
      provider,
      lifetime: notification,
      app: toExplainedApp(device),
    }),
    attempts,
    updatedAt: formatTimestamp(history?.attempts.at(-1)?.at ?? notification.createdAt),
  };
}

/** Returns the proof that an app has the message: the detail of the result names the proof. Empty for any other result. */
function findProof({ provider, code, detail, at }: DeliveryResult): Pick<Delivery, "proof"> {
  if (provider !== "stream" || code !== "accepted") return {};
  const how = APP_PROOFS.find((proof) => proof === detail);
  return how === undefined ? {} : { proof: { how, at: formatTimestamp(at) } };
}

/** Returns the app of a device that fetches its messages; null for other devices. */
function toExplainedApp(device: NamedDevice | null): ExplainedApp | null {
  if (device === null || device.provider !== "stream") return null;
  return { client: device.client, deviceName: device.name };
}

/** Merges codes whose difference matters only to operators. */
function toPublicCode(code: AttemptCode): DeliveryCode {
  return code === "transient" || code === "ambiguous" || code === "suspect" ? "retrying" : code;
}

const REMOVED_DEVICE_NAME = "Removed device";

/** The deliveries of one notification, to be counted. */
export interface CountInput {
  readonly notification: NewNotification;
  readonly ended: Partial<Record<FinalState, number>>;
  readonly pending: readonly PendingDevice[];
  /** False once no delivery of the notification is unfinished. */
  readonly hasUnfinished: boolean;
}

/** Returns the number of deliveries by state. Devices of a large audience that are not expanded yet count as queued. */
export function countDeliveries({
  notification,
  ended,
  pending,
  hasUnfinished,
}: CountInput): DeliveryCounts {
  const counts = Object.fromEntries(DELIVERY_STATES.map((state) => [state, 0])) as Record<
    DeliveryState,
    number
  >; // It has every state.
  for (const [state, count] of Object.entries(ended)) counts[state as FinalState] = count;
  for (const device of pending) counts[getWaitState(device)] += 1;
  if (hasUnfinished && notification.deviceCount !== null) {
    const countedDeliveries = Object.values(counts).reduce((sum, count) => sum + count, 0);
    counts.queued += Math.max(0, notification.deviceCount - countedDeliveries);
  }
  return counts;
}
