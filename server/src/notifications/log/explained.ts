import {
  DELIVERY_STATES,
  type Delivery,
  type DeliveryCode,
  type DeliveryCounts,
  type DeliveryState,
} from "@tocsin/sdk";
import {
  waitState,
  type AttemptCode,
  type DeliveryResult,
  type FinalState,
  type NewNotification,
  type PendingDevice,
} from "#delivery/delivery.ts";
import { explainEnd, explainWait, type NotificationLife } from "#delivery/explain.ts";
import type { NamedDevice } from "#devices/store/devices.ts";
import { timestamp } from "#schema/moment.ts";

/** Returns the result of one device's ended delivery, with a human-readable message. */
export function explainResult(
  { result, device }: { result: DeliveryResult; device: NamedDevice | null },
  life: NotificationLife,
): Delivery {
  const { deviceId, provider, state, attempts, at } = result;
  // The API publishes every code of a result.
  const code: DeliveryCode = result.code;
  return {
    deviceId,
    deviceName: device?.name ?? REMOVED,
    provider,
    state,
    code,
    message: explainEnd(result, life),
    attempts,
    updatedAt: timestamp(at),
  };
}

/** Returns the state of one device's unfinished delivery, with a human-readable message. */
export function explainPending(
  { pending, device }: { pending: PendingDevice; device: NamedDevice | null },
  notification: NewNotification,
): Delivery {
  const { deviceId, attempts, code, history } = pending;
  const provider = device?.provider ?? "webpush";
  return {
    deviceId,
    deviceName: device?.name ?? REMOVED,
    provider,
    state: waitState(pending),
    code: code === null ? "queued" : publicCode(code),
    message: explainWait(pending, { provider, life: notification }),
    attempts,
    updatedAt: timestamp(history?.attempts.at(-1)?.at ?? notification.createdAt),
  };
}

/** Merges codes whose difference matters only to operators. */
function publicCode(code: AttemptCode): DeliveryCode {
  return code === "transient" || code === "ambiguous" || code === "suspect" ? "retrying" : code;
}

const REMOVED = "Removed device";

export interface CountInput {
  readonly notification: NewNotification;
  readonly ended: Partial<Record<FinalState, number>>;
  readonly pending: readonly PendingDevice[];
  /** False once no delivery of the notification is unfinished. */
  readonly isOwing: boolean;
}

/** Returns the number of deliveries by state. In a large audience, deliveries that are not expanded yet count as queued. */
export function countDeliveries({
  notification,
  ended,
  pending,
  isOwing,
}: CountInput): DeliveryCounts {
  const counts = Object.fromEntries(DELIVERY_STATES.map((state) => [state, 0])) as Record<
    DeliveryState,
    number
  >; // It has every state.
  for (const [state, count] of Object.entries(ended)) counts[state as FinalState] = count;
  for (const device of pending) counts[waitState(device)] += 1;
  if (isOwing && notification.deviceCount !== null) {
    const counted = Object.values(counts).reduce((sum, count) => sum + count, 0);
    counts.queued += Math.max(0, notification.deviceCount - counted);
  }
  return counts;
}
