import { CHUNK_MAX, getIncidentId, type NewNotification } from "#delivery/delivery.ts";
import { listAudienceDevices } from "#devices/audiences/store/audience-devices.ts";
import type { Target } from "#devices/device.ts";
import { awaitResults } from "#notifications/await-results.ts";
import { findNotifications } from "#notifications/log/store.ts";
import { pickOrderIds, type Sent, type SendOrder } from "#notifications/order.ts";
import {
  ACCEPTED_RESPONSE,
  addSentence,
  REMOVED_RESPONSE,
  type SendResponse,
} from "#notifications/send-response.ts";
import type { Incident } from "./incident.ts";
import { toIncidentSource } from "./incident-source.ts";
import { OVER_LIMIT_SENTENCE } from "./send-without-ringing.ts";
import {
  findIncident,
  findIncidentByText,
  findLatestIncident,
  findTriggeredIncident,
} from "./store/incidents.ts";
import { hashIncidentKey } from "./trigger.ts";
import { TOO_LARGE_SENTENCE, type TriggerResponseDeps } from "./trigger-response.ts";
import { createFiledResponse, createUntoldResponse, NO_OPEN_INCIDENT } from "./untold-response.ts";

/** A request that repeats an earlier trigger with the same idempotency key. */
export interface RepeatedOrder {
  readonly order: SendOrder;
  /** The notification of the earlier trigger. */
  readonly notificationId: string;
}

/** Returns the response to a request that repeats a trigger, with the current results of that trigger. */
export async function repeatOrder(
  deps: TriggerResponseDeps,
  { order, notificationId }: RepeatedOrder,
): Promise<Sent> {
  const { context } = deps;
  const [notification] = await findNotifications(context, [notificationId]);
  if (notification === undefined) {
    // Only a trigger with an incident key may have been counted without storing a notification.
    const isWithoutKey = order.interaction.incident.key === null;
    return isWithoutKey
      ? repeatRemoved(deps, order, notificationId)
      : repeatCountedTrigger(deps, order, notificationId);
  }
  const incidentId = getIncidentId(notification.interaction);
  const incident = incidentId === null ? null : await findIncident(context, incidentId);
  const targets = await listAudienceDevices(context, notification.audience, { limit: CHUNK_MAX });
  return {
    response: await createResponse(deps, order, { notification, incident, targets }),
    notificationId,
    deviceCount: targets.length,
    ...pickOrderIds(notification.interaction ?? {}),
  };
}

/** Returns the response to a repeated trigger whose notification was removed; it names the incident if that still exists. */
async function repeatRemoved(
  { context }: TriggerResponseDeps,
  { sender, interaction }: SendOrder,
  notificationId: string,
): Promise<Sent> {
  const source = toIncidentSource(sender);
  const incident = await findIncidentByText(context, { source, notificationId });
  const sent = { response: REMOVED_RESPONSE, notificationId, deviceCount: null };
  if (incident === null) return sent;
  const { id } = incident;
  return { ...sent, ...(interaction.prompt === null ? { incidentId: id } : { promptId: id }) };
}

/**
 * Returns the response to a repeated trigger that only counted, so that no notification was stored for it. Its incident
 * key may have opened another incident since.
 */
async function repeatCountedTrigger(
  { context }: TriggerResponseDeps,
  { sender, interaction }: SendOrder,
  notificationId: string,
): Promise<Sent> {
  const keyHash = hashIncidentKey(interaction.incident.key ?? "");
  const key = { source: toIncidentSource(sender), keyHash };
  const incident =
    (await findTriggeredIncident(context, { ...key, notificationId })) ??
    (await findLatestIncident(context, key));
  const noNotification = { notificationId: null, deviceCount: 0 } as const;
  if (incident === null) return { response: NO_OPEN_INCIDENT, ...noNotification };
  const ids = { incidentId: incident.id, textNotificationId: incident.notificationId };
  // The trigger did more than count, but its notification was removed since.
  if (incident.notificationId === notificationId)
    return { response: REMOVED_RESPONSE, notificationId, deviceCount: null, ...ids };
  return { response: createUntoldResponse(incident), ...noNotification, ...ids };
}

interface EarlierTrigger {
  readonly notification: NewNotification;
  /** Null if the trigger opened no incident, or if the incident was removed afterwards. */
  readonly incident: Incident | null;
  readonly targets: readonly Target[];
}

async function createResponse(
  deps: TriggerResponseDeps,
  { audience, isAwaited, waitMs }: SendOrder,
  { notification, incident, targets }: EarlierTrigger,
): Promise<SendResponse> {
  const { id: notificationId, interaction, deviceCount } = notification;
  const isFiled = interaction?.cause === "update" && deviceCount === 0 && targets.length > 0;
  if (incident !== null && isFiled) return createFiledResponse(incident);
  const handedOver = { kind: "replayed", notificationId, targets } as const;
  const sent = { notificationId, handedOver, targets };
  const response = isAwaited
    ? await awaitResults({ ...deps, syncWaitMs: waitMs }, { audience, sent })
    : ACCEPTED_RESPONSE;
  if (interaction === null) return addSentence(response, OVER_LIMIT_SENTENCE);
  // The number stays unknown until the devices of a large audience are listed.
  const isTooLarge = deviceCount === null || deviceCount > CHUNK_MAX;
  // If further steps follow, the incident rings.
  const hasFurtherStep = (incident?.policy?.steps.length ?? 1) > 1;
  return isTooLarge && !hasFurtherStep && incident?.priority === "emergency"
    ? addSentence(response, TOO_LARGE_SENTENCE)
    : response;
}
