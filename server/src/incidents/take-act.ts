import type { Actor } from "#audit/event.ts";
import type { Context } from "#context.ts";
import { createDeviceCharge } from "#notifications/charge.ts";
import type { Sent, SendOrder } from "#notifications/order.ts";
import type { Incident } from "./incident.ts";
import type { Incidents } from "./incidents.ts";
import { toIncidentSource } from "./order-source.ts";
import { requireSameRecipients } from "./same-recipients.ts";
import { findOpenIncident } from "./store/incidents.ts";
import { hashIncidentKey } from "./trigger.ts";
import { NO_OPEN_INCIDENT } from "./untold-response.ts";

/** A send that acts on the open incident of a key. */
export interface ActOrderInput {
  readonly order: SendOrder;
  readonly key: string;
  readonly kind: "acknowledge" | "resolve";
}

/** Acknowledges or resolves the open incident of a key, with the text of the send. */
export async function takeAct(
  { context, incidents }: { readonly context: Context; readonly incidents: Incidents },
  { order, key, kind }: ActOrderInput,
): Promise<Sent> {
  const { sender, parameters, audience, charge } = order;
  const query = { source: toIncidentSource(sender), keyHash: hashIncidentKey(key) };
  const open = await findOpenIncident(context, query);
  if (open === null) return { response: NO_OPEN_INCIDENT, notificationId: null, deviceCount: 0 };
  requireSameRecipients(open, audience);
  const act = createKeyAct(context, sender.keyId === null ? sender.accountId : null);
  const { draft: content, ttlSeconds } = parameters;
  const result = await incidents.act(
    { incidentId: open.id, kind, act, actor: toKeyActor(sender), content },
    { keyId: sender.keyId, ttlSeconds, charge: createDeviceCharge(charge) },
  );
  const incident = result?.incident ?? open;
  const message = describeAct(incident, { kind, isChanged: result?.isChanged ?? false });
  return {
    response: { success: true, message, responses: [] },
    notificationId: null,
    textNotificationId: incident.notificationId,
    deviceCount: 0,
    incidentId: incident.id,
  };
}

function createKeyAct({ now }: Context, accountId: string | null) {
  const via = accountId === null ? "key" : "api";
  return { at: now(), via, accountId, deviceId: null, note: null } as const;
}

/** Returns the author of an act by a send, whose address is not known here. */
function toKeyActor({ keyId, accountId }: SendOrder["sender"]): Actor {
  const kind = keyId === null ? "access_token" : "api_key";
  return { kind, accountId, credentialId: keyId, address: null, userAgent: null };
}

/** Returns a sentence that says what became of an act. */
function describeAct(
  { acknowledgement }: Incident,
  { kind, isChanged }: { readonly kind: "acknowledge" | "resolve"; readonly isChanged: boolean },
): string {
  if (kind === "resolve")
    return isChanged ? "The incident is resolved." : "It was resolved before.";
  if (isChanged || acknowledgement === null) return "The incident is acknowledged.";
  return `It was acknowledged before, at ${new Date(acknowledgement.at).toISOString()}.`;
}
