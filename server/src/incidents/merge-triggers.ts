import { isSameAudience } from "./told-audience.ts";
import { getHigherPriority } from "./incident.ts";
import type { TriggerOrder } from "./trigger.ts";

/** Triggers of one incident that share a change, in the order of arrival. */
export type TriggerBatch = readonly [TriggerOrder, ...TriggerOrder[]];

/**
 * Returns how many of the waiting triggers may share the next change. The change has the text, the priority and the
 * ring settings of its last trigger. The last one that may share is the last trigger of the highest priority, so that a
 * later text of a lower priority replaces the text of an emergency quietly, in a change of its own. A trigger with an
 * idempotency key has its own change.
 */
export function countMergeable(first: TriggerOrder, others: readonly TriggerOrder[]): number {
  if (first.idempotency !== null) return 1;
  const firstUnmergeable = others.findIndex((order) => !canShareChange(first, order));
  const mergeable = [
    first,
    ...(firstUnmergeable === -1 ? others : others.slice(0, firstUnmergeable)),
  ];
  const highest = mergeable
    .map(({ content }) => content.priority)
    .reduce((one, other) => getHigherPriority(one, other));
  return mergeable.findLastIndex(({ content }) => content.priority === highest) + 1;
}

/** Returns whether two triggers may share a change, which is for one audience and charged to one key. */
function canShareChange(
  first: TriggerOrder,
  { idempotency, keyId, audience }: TriggerOrder,
): boolean {
  return idempotency === null && keyId === first.keyId && isSameAudience(audience, first.audience);
}

/**
 * Returns one trigger for a batch: the last one, with the latest callback URL and the latest auto-resolve time that any
 * trigger of the batch gives. Only the opening of an incident applies these two.
 */
export function mergeTriggers(orders: TriggerBatch): TriggerOrder {
  const last = orders.at(-1) ?? orders[0];
  const withCallback = orders.findLast(({ callbackUrl }) => callbackUrl !== null);
  const withAutoResolve = orders.findLast(({ autoResolveAfterMs }) => autoResolveAfterMs !== null);
  return {
    ...last,
    isAwaited: orders.some(({ isAwaited }) => isAwaited),
    callbackUrl: withCallback?.callbackUrl ?? null,
    autoResolveAfterMs: withAutoResolve?.autoResolveAfterMs ?? null,
  };
}
