import {
  DELIVERY_STATES,
  type Delivery,
  type DeliveryCounts,
  type DeliveryState,
} from "@tocsin/sdk";
import type {
  DeliveryResult,
  FinalState,
  NewNotification,
  PendingDevice,
} from "#delivery/delivery.ts";
import { explain } from "#delivery/explain.ts";
import type { ProviderName } from "#providers/provider.ts";
import { timestamp } from "../feed/feed.ts";

/** A device as the delivery log names it; known even when it is retired. */
export interface NamedDevice {
  readonly name: string;
  readonly provider: ProviderName;
}

/** Returns how one device's delivery ended, in words. */
export function explainResult(result: DeliveryResult, device: NamedDevice | null): Delivery {
  const { deviceId, provider, state, code, detail, attempts, at } = result;
  return {
    deviceId,
    deviceName: device?.name ?? REMOVED,
    provider,
    state,
    code,
    message: explain({ code, provider, detail, retryAt: null }),
    attempts,
    updatedAt: timestamp(at),
  };
}

/** Returns where one device's delivery stands that is still owed, in words. */
export function explainPending(
  { pending, device }: { pending: PendingDevice; device: NamedDevice | null },
  notification: NewNotification,
): Delivery {
  const { deviceId, attempts, runAt, code: reason, detail } = pending;
  const provider = device?.provider ?? "webpush";
  const code = reason ?? "queued";
  const retryAt = reason === null ? null : runAt;
  return {
    deviceId,
    deviceName: device?.name ?? REMOVED,
    provider,
    state: pendingState(pending),
    code,
    message: explain({ code, provider, detail, retryAt }),
    attempts,
    updatedAt: timestamp(notification.createdAt),
  };
}

/** Returns the state of a delivery that is still owed. */
export function pendingState({ code }: PendingDevice): DeliveryState {
  if (code === null) return "queued";
  return code === "provider_misconfigured" ? "held" : "retrying";
}

const REMOVED = "Removed device";

export interface CountInput {
  readonly notification: NewNotification;
  readonly ended: Partial<Record<FinalState, number>>;
  readonly pending: readonly PendingDevice[];
  /** False once nothing of the notification is owed any more. */
  readonly isOwing: boolean;
}

/** Returns how many deliveries are in each state; of a large audience, those not yet cut out count as queued. */
export function countDeliveries({
  notification,
  ended,
  pending,
  isOwing,
}: CountInput): DeliveryCounts {
  const counts = Object.fromEntries(DELIVERY_STATES.map((state) => [state, 0])) as Record<
    DeliveryState,
    number
  >; // Made of every state.
  for (const [state, count] of Object.entries(ended)) counts[state as FinalState] = count;
  for (const device of pending) counts[pendingState(device)] += 1;
  if (isOwing && notification.deviceCount !== null) {
    const known = Object.values(counts).reduce((sum, count) => sum + count, 0);
    counts.queued += Math.max(0, notification.deviceCount - known);
  }
  return counts;
}
