import { DELIVERY_STATE_GROUPS, type DeliveryStateGroup } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import { createStatePattern } from "#delivery/store/column-patterns.ts";
import { decodePending, decodeResults } from "#delivery/store/tuples.ts";

import type { DeliveryResult, FinalState, PendingDevice } from "#delivery/delivery.ts";

/** One delivery of a notification: its result if it has ended, otherwise its state. */
export type EndedOrUnfinishedDelivery =
  | { readonly kind: "ended"; readonly result: DeliveryResult }
  | { readonly kind: "unfinished"; readonly pending: PendingDevice };

/** One delivery of a notification in a list, which continues after its `id`. */
export type ListedDelivery = EndedOrUnfinishedDelivery & { readonly id: string };

/** A page of the deliveries of one notification. */
export interface ListDeliveriesInput {
  readonly notificationId: string;
  /** Null means all, failures first. */
  readonly stateFilter: DeliveryStateGroup | null;
  /** The id of a delivery, after which the list continues; null starts it. */
  readonly after: string | null;
  readonly limit: number;
}

/**
 * A list of all deliveries has three parts, in this order: readers look for failures, and waiting deliveries may
 * become failures.
 */
const LIST_PARTS = ["failed", "waiting", "rest"] as const;

type Part = (typeof LIST_PARTS)[number] | DeliveryStateGroup;

const STATES_BY_PART: Readonly<Record<Exclude<Part, "waiting">, readonly FinalState[]>> = {
  failed: DELIVERY_STATE_GROUPS.failed,
  delivered: DELIVERY_STATE_GROUPS.delivered,
  skipped: DELIVERY_STATE_GROUPS.skipped,
  rest: [...DELIVERY_STATE_GROUPS.delivered, ...DELIVERY_STATE_GROUPS.skipped],
};

/**
 * Returns a page of a notification's deliveries: failures, then unfinished deliveries, then the others. Each part is in
 * the order of recording.
 */
export async function listDeliveries(
  context: Context,
  { notificationId, stateFilter, after, limit }: ListDeliveriesInput,
): Promise<readonly ListedDelivery[]> {
  const parts: readonly Part[] = stateFilter === null ? LIST_PARTS : [stateFilter];
  const [firstPart = "", ...position] = after?.split("_") ?? [];
  const firstIndex = Math.max(
    0,
    parts.findIndex((part) => part === firstPart),
  );
  const foundDeliveries: ListedDelivery[] = [];
  for (const part of parts.slice(firstIndex)) {
    if (foundDeliveries.length >= limit) break;
    const from = part === firstPart ? position : [];
    const partInput = { notificationId, position: from, limit: limit - foundDeliveries.length };
    const deliveries =
      part === "waiting"
        ? await listUnfinished(context, partInput)
        : await listEnded(context, { ...partInput, states: STATES_BY_PART[part] });
    foundDeliveries.push(...deliveries.map((item) => ({ ...item, id: `${part}_${item.id}` })));
  }
  return foundDeliveries;
}

interface PartInput {
  readonly notificationId: string;
  /** The position at which to continue in this part, as its list returned it; empty starts the part. */
  readonly position: readonly string[];
  readonly limit: number;
}

/** The number of result pages per query. Each page has up to 500 results. */
const PAGES_PER_QUERY = 2;

async function listEnded(
  { database: { db } }: Context,
  {
    notificationId,
    position,
    limit,
    states,
  }: PartInput & { readonly states: readonly FinalState[] },
): Promise<readonly ListedDelivery[]> {
  const foundDeliveries: ListedDelivery[] = [];
  const patterns = states.map(createStatePattern);
  const [firstPageId = "", lastIndex = ""] = position;
  let from = firstPageId;
  let comparison: ">=" | ">" = ">=";
  // Terminates, because every page has at least one match.
  for (;;) {
    const pages = await db
      .selectFrom("delivery_page")
      .select(["id", "results"])
      .where("notification_id", "=", notificationId)
      .where("id", comparison, from)
      .where((eb) => eb.or(patterns.map((pattern) => eb("counts", "like", pattern))))
      .orderBy("id")
      .limit(PAGES_PER_QUERY)
      .execute();
    for (const page of pages) {
      const start = page.id === firstPageId ? Number(lastIndex) + 1 : 0;
      foundDeliveries.push(...toDeliveries(page).slice(start).filter(isOneOf(states)));
    }
    const next = pages.at(-1);
    if (next === undefined || pages.length < PAGES_PER_QUERY || foundDeliveries.length >= limit)
      break;
    from = next.id;
    comparison = ">";
  }
  return foundDeliveries.slice(0, limit);
}

function isOneOf(states: readonly FinalState[]) {
  return (item: ListedDelivery) => item.kind === "ended" && states.includes(item.result.state);
}

function toDeliveries(page: { readonly id: string; readonly results: string }): ListedDelivery[] {
  return decodeResults(page.results).map((result, index) => ({
    id: `${page.id}_${index}`,
    kind: "ended",
    result,
  }));
}

async function listUnfinished(
  { database: { db } }: Context,
  { notificationId, position: [lastIndex = "-1"], limit }: PartInput,
): Promise<readonly ListedDelivery[]> {
  const jobs = await db
    .selectFrom("send_job")
    .select("pending")
    .where("notification_id", "=", notificationId)
    .where("pending", "is not", null)
    .orderBy("id")
    .execute();
  const pendingDevices = jobs.flatMap(({ pending }) =>
    pending === null ? [] : decodePending(pending),
  );
  const start = Number(lastIndex) + 1;
  return pendingDevices
    .slice(start, start + limit)
    .map((pending, index) => ({ id: String(start + index), kind: "unfinished", pending }));
}
