import type { DeviceResult } from "@tocsin/sdk";
import type { HandoverResult } from "#delivery/accept/accept.ts";
import type { Audience } from "#devices/audiences/audience.ts";
import { awaitResults, type AwaitResultsDeps } from "#notifications/await-results.ts";
import type { SendOrder } from "#notifications/order.ts";
import {
  ACCEPTED_RESPONSE,
  addSentence,
  summarizeResponses,
  TOO_MANY_DEVICES_RESPONSE,
  type SendResponse,
} from "#notifications/send-response.ts";
import type { StoredChange } from "./change.ts";
import { isRinging } from "./incident.ts";
import type { TriggerResult } from "./trigger.ts";
import { createFiledResponse, createUntoldResponse } from "./untold-response.ts";

/** Ends the response to an emergency for an audience that is too large to ring. */
export const TOO_LARGE_SENTENCE = "It rings nobody, because an audience of this size is told once.";

/** The dependencies of the response to a trigger. */
export type TriggerResponseDeps = Omit<AwaitResultsDeps, "syncWaitMs">;

/** Returns the response to a trigger that changed an incident; waits for the results if the order does. */
export async function createTriggerResponse(
  deps: TriggerResponseDeps,
  order: Pick<SendOrder, "audience" | "isAwaited" | "waitMs">,
  { change, isPushDelayed }: Extract<TriggerResult, { readonly kind: "changed" }>,
): Promise<SendResponse> {
  const { incident, accepted } = change;
  if (accepted.length === 0) return createUntoldResponse(incident);
  if (isPushDelayed) return createFiledResponse(incident);
  const response = order.isAwaited ? await awaitAll(deps, order, accepted) : ACCEPTED_RESPONSE;
  const ringsNobody = incident.priority === "emergency" && !isRinging(incident);
  return ringsNobody && accepted.some(isTooLarge)
    ? addSentence(response, TOO_LARGE_SENTENCE)
    : response;
}

/** Waits for the results of every notification of a change, and returns them together. */
async function awaitAll(
  deps: TriggerResponseDeps,
  { audience, waitMs }: Pick<SendOrder, "audience" | "waitMs">,
  accepted: StoredChange["accepted"],
): Promise<SendResponse> {
  if (accepted.some(isTooLarge)) return TOO_MANY_DEVICES_RESPONSE;
  const responses = await Promise.all(
    accepted.map((handedOver) => awaitOne({ ...deps, syncWaitMs: waitMs }, audience, handedOver)),
  );
  return summarizeResponses(responses.flat(), audience);
}

function isTooLarge(handedOver: HandoverResult): boolean {
  return handedOver.kind === "accepted" && handedOver.targets === null;
}

async function awaitOne(
  deps: AwaitResultsDeps,
  audience: Audience,
  handedOver: HandoverResult,
): Promise<readonly DeviceResult[]> {
  if (handedOver.kind !== "accepted" || handedOver.targets?.length === 0) return [];
  const { notification, targets } = handedOver;
  const sent = { notificationId: notification.id, handedOver, targets };
  return (await awaitResults(deps, { audience, sent })).responses;
}
