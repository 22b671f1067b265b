import { DELIVERY_FATES, type DeliveryFate } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import { countedPattern, pendingOf, resultsOf } from "#delivery/rows.ts";
import type { DeliveryResult, FinalState, PendingDevice } from "#delivery/delivery.ts";

/** One delivery of a notification: ended or owed, at a place that a list goes on from. */
export type PlacedDelivery = { readonly id: string } & (
  | { readonly kind: "ended"; readonly result: DeliveryResult }
  | { readonly kind: "owed"; readonly pending: PendingDevice }
);

export interface DeliveriesInput {
  readonly notificationId: string;
  /** Null means all. */
  readonly fate: DeliveryFate | null;
  /** The place after which the list goes on; null begins it. */
  readonly after: string | null;
  readonly limit: number;
}

/** Returns a notification's deliveries: those that ended in the order of their recording, then those that are owed. */
export async function listDeliveries(
  context: Context,
  input: DeliveriesInput,
): Promise<readonly PlacedDelivery[]> {
  const { fate, after, limit } = input;
  const isPastEnded = after?.startsWith(OWED) === true;
  const ended = fate === "waiting" || isPastEnded ? [] : await listEnded(context, input);
  const isFull = ended.length >= limit;
  if (isFull || (fate !== null && fate !== "waiting")) return ended;
  const start = isPastEnded ? Number(after.slice(OWED.length)) + 1 : 0;
  return [...ended, ...(await listOwed(context, input, start)).slice(0, limit - ended.length)];
}

const OWED = "owed_";
const PAGES_AT_ONCE = 2;

async function listEnded(
  { database: { db } }: Context,
  { notificationId, fate, after, limit }: DeliveriesInput,
): Promise<readonly PlacedDelivery[]> {
  const found: PlacedDelivery[] = [];
  const states: readonly FinalState[] | null =
    fate === null || fate === "waiting" ? null : DELIVERY_FATES[fate];
  const likes = states === null ? ["%"] : states.map(countedPattern);
  const [firstPage = "", last = ""] = after?.split("_") ?? [];
  let from = firstPage;
  let comparison: ">=" | ">" = ">=";
  // Every page that is read holds at least one that is looked for, so this ends.
  for (;;) {
    const pages = await db
      .selectFrom("delivery_page")
      .select(["id", "results"])
      .where("notification_id", "=", notificationId)
      .where("id", comparison, from)
      .where((is) => is.or(likes.map((like) => is("counts", "like", like))))
      .orderBy("id")
      .limit(PAGES_AT_ONCE)
      .execute();
    for (const page of pages) {
      const start = page.id === firstPage ? Number(last) + 1 : 0;
      found.push(...placed(page).slice(start).filter(isOneOf(states)));
    }
    const next = pages.at(-1);
    if (next === undefined || pages.length < PAGES_AT_ONCE || found.length >= limit) break;
    from = next.id;
    comparison = ">";
  }
  return found.slice(0, limit);
}

function isOneOf(states: readonly FinalState[] | null) {
  return (item: PlacedDelivery) =>
    states === null || (item.kind === "ended" && states.includes(item.result.state));
}

function placed(page: { readonly id: string; readonly results: string }): PlacedDelivery[] {
  return resultsOf(page.results).map((result, index) => ({
    id: `${page.id}_${index}`,
    kind: "ended",
    result,
  }));
}

async function listOwed(
  { database: { db } }: Context,
  { notificationId, limit }: DeliveriesInput,
  start: number,
): Promise<readonly PlacedDelivery[]> {
  const jobs = await db
    .selectFrom("send_job")
    .select("pending")
    .where("notification_id", "=", notificationId)
    .where("pending", "is not", null)
    .orderBy("id")
    .execute();
  const owed = jobs.flatMap(({ pending }) => (pending === null ? [] : pendingOf(pending)));
  return owed
    .slice(start, start + limit)
    .map((pending, index) => ({ id: `${OWED}${start + index}`, kind: "owed", pending }));
}
