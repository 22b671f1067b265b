import type { IdempotencyRecord } from "#delivery/store/delivery-store.ts";
import { awaitResults } from "#notifications/await-results.ts";
import type { Sent, SendOrder } from "#notifications/order.ts";
import { ReadDeadline } from "#notifications/read-deadline.ts";
import { createIdempotencyError, send, type SentNotification } from "#notifications/send.ts";
import { ACCEPTED_RESPONSE, addSentence } from "#notifications/send-response.ts";
import { OPEN_INCIDENTS_MAX } from "./trigger.ts";
import type { TriggerResponseDeps } from "./trigger-response.ts";

/** Ends the response to a trigger of a sender with too many open incidents. */
export const OVER_LIMIT_SENTENCE = `It rings nobody and opens no incident, because ${OPEN_INCIDENTS_MAX.toLocaleString("en")} incidents of this sender are open: resolve some, or give them autoResolveAfter.`;

/** A trigger that opens no incident, because its source has too many open ones. */
interface RefusedTrigger {
  readonly order: SendOrder;
  /** Null if the trigger has no idempotency key. */
  readonly idempotency: IdempotencyRecord | null;
}

/** Sends a trigger as an ordinary notification of high priority, because its source has too many open incidents. */
export async function sendWithoutRinging(
  deps: TriggerResponseDeps,
  { order, idempotency }: RefusedTrigger,
): Promise<Sent> {
  const { parameters, sender, audience, isAwaited, charge } = order;
  const { draft, ttlSeconds, idempotencyKey } = parameters;
  const sent = await send(deps, {
    draft: { ...draft, priority: "high" },
    ttlSeconds,
    idempotencyKey,
    // A repetition is compared with the trigger, not with the notification that was sent instead.
    ...(idempotency === null ? {} : { requestHash: idempotency.contentHash }),
    keyId: sender.keyId,
    senderId: sender.sourceId,
    audience,
    isAwaited,
    readDeadline: new ReadDeadline(0),
    charge,
  });
  if (sent.handedOver.kind === "mismatch") throw createIdempotencyError();
  return {
    response: addSentence(await createResponse(deps, order, sent), OVER_LIMIT_SENTENCE),
    notificationId: sent.notificationId,
    deviceCount: sent.targets?.length ?? null,
  };
}

async function createResponse(
  deps: TriggerResponseDeps,
  { audience, isAwaited, waitMs }: SendOrder,
  sent: SentNotification,
) {
  if (!isAwaited) return ACCEPTED_RESPONSE;
  return awaitResults({ ...deps, syncWaitMs: waitMs }, { audience, sent });
}
