import { CHUNK_MAX } from "#delivery/delivery.ts";
import { listAudienceDevices } from "#devices/audiences/store/audience-devices.ts";
import { awaitResults, type AwaitResultsDeps } from "#notifications/await-results.ts";
import { findNotifications } from "#notifications/log/store.ts";
import type { OrderIds, Sent, SendOrder } from "#notifications/order.ts";
import type { IncidentSource } from "./incident.ts";
import { findLatestIncident } from "./store/incidents.ts";
import { hashIncidentKey } from "./trigger.ts";
import { createUntoldResponse, NO_OPEN_INCIDENT } from "./untold-response.ts";

/** A request that repeats an earlier trigger with the same idempotency key. */
export interface RepeatedOrder {
  readonly order: SendOrder;
  readonly source: IncidentSource;
  /** The notification of the earlier trigger. */
  readonly notificationId: string;
}

/** Returns the current results of the trigger that a request repeats. */
export async function repeatOrder(
  deps: Omit<AwaitResultsDeps, "syncWaitMs">,
  { order, source, notificationId }: RepeatedOrder,
): Promise<Sent> {
  const { context } = deps;
  const { audience, waitMs, acting } = order;
  const [notification] = await findNotifications(context, [notificationId]);
  if (notification === undefined) {
    // It only counted: no notification was stored for it.
    const incident = await findLatestIncident(context, {
      source,
      keyHash: hashIncidentKey(acting.incident.key ?? ""),
    });
    const response = incident === null ? NO_OPEN_INCIDENT : createUntoldResponse(incident);
    return { response, notificationId: null, deviceCount: 0, ...toIds(incident?.id ?? null) };
  }
  const targets = await listAudienceDevices(context, notification.audience, { limit: CHUNK_MAX });
  const handedOver = { kind: "replayed", notificationId, targets } as const;
  const sent = { notificationId, handedOver, targets };
  const response = await awaitResults({ ...deps, syncWaitMs: waitMs }, { audience, sent });
  const deviceCount = targets.length;
  return {
    response,
    notificationId,
    deviceCount,
    ...toIds(notification.acting?.incidentId ?? null),
  };
}

function toIds(incidentId: string | null): OrderIds {
  return incidentId === null ? {} : { incidentId };
}
