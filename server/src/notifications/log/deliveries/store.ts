import { DELIVERY_FATES, type DeliveryFate } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import { countedPattern, pendingOf, resultsOf } from "#delivery/store/rows.ts";
import type { DeliveryResult, FinalState, PendingDevice } from "#delivery/delivery.ts";

/** One delivery of a notification, ended or unfinished. A list continues after its `id`. */
export type ListedDelivery = { readonly id: string } & (
  | { readonly kind: "ended"; readonly result: DeliveryResult }
  | { readonly kind: "owed"; readonly pending: PendingDevice }
);

export interface DeliveriesInput {
  readonly notificationId: string;
  /** Null means all, failures first. */
  readonly fate: DeliveryFate | null;
  /** The id of a delivery, after which the list continues; null starts it. */
  readonly after: string | null;
  readonly limit: number;
}

/**
 * A list of all deliveries has three parts, in this order: readers look for failures, and waiting deliveries may
 * become failures.
 */
const PARTS = ["failed", "waiting", "rest"] as const;

type Part = (typeof PARTS)[number] | DeliveryFate;

const STATES: Readonly<Record<Exclude<Part, "waiting">, readonly FinalState[]>> = {
  failed: DELIVERY_FATES.failed,
  delivered: DELIVERY_FATES.delivered,
  skipped: DELIVERY_FATES.skipped,
  rest: [...DELIVERY_FATES.delivered, ...DELIVERY_FATES.skipped],
};

/** Returns a notification's deliveries: failures, unfinished ones, then the others. Each part is in the order of recording. */
export async function listDeliveries(
  context: Context,
  { notificationId, fate, after, limit }: DeliveriesInput,
): Promise<readonly ListedDelivery[]> {
  const parts: readonly Part[] = fate === null ? PARTS : [fate];
  const [firstPart = "", ...position] = after?.split("_") ?? [];
  const first = Math.max(
    0,
    parts.findIndex((part) => part === firstPart),
  );
  const found: ListedDelivery[] = [];
  for (const part of parts.slice(first)) {
    if (found.length >= limit) break;
    const from = part === firstPart ? position : [];
    const partInput = { notificationId, from, limit: limit - found.length };
    const deliveries =
      part === "waiting"
        ? await listOwed(context, partInput)
        : await listEnded(context, { ...partInput, states: STATES[part] });
    found.push(...deliveries.map((item) => ({ ...item, id: `${part}_${item.id}` })));
  }
  return found;
}

interface PartInput {
  readonly notificationId: string;
  /** The position at which to continue in this part, as its list returned it; empty starts the part. */
  readonly from: readonly string[];
  readonly limit: number;
}

const PAGES_AT_ONCE = 2;

async function listEnded(
  { database: { db } }: Context,
  {
    notificationId,
    from: position,
    limit,
    states,
  }: PartInput & { readonly states: readonly FinalState[] },
): Promise<readonly ListedDelivery[]> {
  const found: ListedDelivery[] = [];
  const patterns = states.map(countedPattern);
  const [firstPage = "", last = ""] = position;
  let from = firstPage;
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
      .limit(PAGES_AT_ONCE)
      .execute();
    for (const page of pages) {
      const start = page.id === firstPage ? Number(last) + 1 : 0;
      found.push(...toDeliveries(page).slice(start).filter(isOneOf(states)));
    }
    const next = pages.at(-1);
    if (next === undefined || pages.length < PAGES_AT_ONCE || found.length >= limit) break;
    from = next.id;
    comparison = ">";
  }
  return found.slice(0, limit);
}

function isOneOf(states: readonly FinalState[]) {
  return (item: ListedDelivery) => item.kind === "ended" && states.includes(item.result.state);
}

function toDeliveries(page: { readonly id: string; readonly results: string }): ListedDelivery[] {
  return resultsOf(page.results).map((result, index) => ({
    id: `${page.id}_${index}`,
    kind: "ended",
    result,
  }));
}

async function listOwed(
  { database: { db } }: Context,
  { notificationId, from: [last = "-1"], limit }: PartInput,
): Promise<readonly ListedDelivery[]> {
  const jobs = await db
    .selectFrom("send_job")
    .select("pending")
    .where("notification_id", "=", notificationId)
    .where("pending", "is not", null)
    .orderBy("id")
    .execute();
  const owed = jobs.flatMap(({ pending }) => (pending === null ? [] : pendingOf(pending)));
  const start = Number(last) + 1;
  return owed
    .slice(start, start + limit)
    .map((pending, index) => ({ id: String(start + index), kind: "owed", pending }));
}
