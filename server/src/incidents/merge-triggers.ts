import { isSameAudience } from "./told-audience.ts";
import { toHigherPriority } from "./incident.ts";
import type { TriggerOrder } from "./trigger.ts";

/** Triggers of one incident that share a change, in the order of their arrival. */
export type TriggerBatch = readonly [TriggerOrder, ...TriggerOrder[]];

/**
 * Returns how many of the triggers that wait may share the next change. The change tells the text of the last one with
 * its priority and its way of ringing. It ends with the last trigger of the highest priority, so that a later text of
 * a lower priority replaces the text of an emergency quietly, as if it had come alone. A trigger with an idempotency
 * key has its own change.
 */
export function countMergeable(first: TriggerOrder, others: readonly TriggerOrder[]): number {
  if (first.idempotency !== null) return 1;
  const foreignAt = others.findIndex((order) => !isAlike(first, order));
  const alike = [first, ...(foreignAt === -1 ? others : others.slice(0, foreignAt))];
  const highest = alike
    .map(({ content }) => content.priority)
    .reduce((one, other) => toHigherPriority(one, other));
  return alike.findLastIndex(({ content }) => content.priority === highest) + 1;
}

/** Returns whether two triggers may share a change, which is for one audience and charged to one key. */
function isAlike(first: TriggerOrder, { idempotency, keyId, audience }: TriggerOrder): boolean {
  return idempotency === null && keyId === first.keyId && isSameAudience(audience, first.audience);
}

/**
 * Returns the trigger that stands for all of a change: the last one. Of the settings that only the opening of an
 * incident applies, it has the latest ones that any of them gives.
 */
export function mergeTriggers(orders: TriggerBatch): TriggerOrder {
  const last = orders.at(-1) ?? orders[0];
  const withCallback = orders.findLast(({ callbackUrl }) => callbackUrl !== null);
  const withEnd = orders.findLast(({ autoResolveAfterMs }) => autoResolveAfterMs !== null);
  return {
    ...last,
    isAwaited: orders.some(({ isAwaited }) => isAwaited),
    callbackUrl: withCallback?.callbackUrl ?? null,
    autoResolveAfterMs: withEnd?.autoResolveAfterMs ?? null,
  };
}
