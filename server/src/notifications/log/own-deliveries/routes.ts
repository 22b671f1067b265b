import type { Authenticate } from "#http/authenticate.ts";
import { toPage, PageQuery, parsePage } from "#http/page.ts";
import { IdParams, PageResponse } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import type { Context } from "#context.ts";
import { createNotInFeedError } from "../../feed/not-in-feed-error.ts";
import { findEntry } from "../../feed/store.ts";
import type { MembershipPeriod } from "#teams/store/teams.ts";
import { toFeedWindows } from "../../feed/windows.ts";
import { DeliveryDetailSchema } from "../deliveries/routes.ts";
import { loadOwnDeliveries } from "../records.ts";

/** The dependencies of the route that shows readers the results on their own devices. */
export interface OwnDeliveriesRouteDeps {
  readonly context: Context;
  readonly authenticate: Authenticate;
  /** Returns the account's membership periods, including past ones. */
  readonly listMembershipPeriods: (accountId: string) => Promise<readonly MembershipPeriod[]>;
}

/** Registers `/feed/{id}/deliveries`, where every reader sees only their own devices. */
export function registerOwnDeliveriesRoute(
  server: Server,
  { context, authenticate, listMembershipPeriods }: OwnDeliveriesRouteDeps,
): void {
  const schema = {
    operationId: "listFeedDeliveries",
    summary: "Show the results on my own devices for a notification in my feed",
    tags: ["Feed"],
    params: IdParams,
    querystring: PageQuery,
    response: { 200: PageResponse(DeliveryDetailSchema) },
  };
  server.get("/api/app/v1/feed/:id/deliveries", { schema }, async (request) => {
    const { accountId } = await authenticate(request);
    const { limit, after } = parsePage(request.query);
    const windows = toFeedWindows(accountId, await listMembershipPeriods(accountId));
    const entry = await findEntry(context, { accountId, windows, id: request.params.id });
    if (entry === null) throw createNotInFeedError();
    const deliveries = await loadOwnDeliveries(context, {
      notification: entry.notification,
      accountId,
    });
    const remaining = after === null ? deliveries : deliveries.filter(({ id }) => id > after);
    const { items, nextCursor } = toPage(remaining, limit);
    return { items: items.map(({ detail }) => detail), nextCursor };
  });
}
