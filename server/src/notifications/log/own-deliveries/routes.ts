import type { Authenticate } from "#http/authenticate.ts";
import { pageOf, PageQuery, parsePage } from "#http/page.ts";
import { IdParams, PageAnswer } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import type { Context } from "#context.ts";
import { notInFeed } from "../../feed/routes.ts";
import { findEntry } from "../../feed/store.ts";
import type { Stay } from "#teams/store/teams.ts";
import { windowsOf } from "../../feed/windows.ts";
import { DeliveryDetailAnswer } from "../deliveries/routes.ts";
import { loadOwnDeliveries } from "../records.ts";

export interface OwnDeliveriesDeps {
  readonly context: Context;
  readonly authenticate: Authenticate;
  /** Returns every stay of an account in a team, including past ones. */
  readonly staysOf: (accountId: string) => Promise<readonly Stay[]>;
}

/** Registers `/feed/{id}/deliveries`, where every reader sees only their own devices. */
export function registerOwnDeliveriesRoute(
  server: Server,
  { context, authenticate, staysOf }: OwnDeliveriesDeps,
): void {
  const schema = {
    operationId: "listFeedDeliveries",
    summary: "Show the results of a notification in my feed on my own devices",
    tags: ["Feed"],
    params: IdParams,
    querystring: PageQuery,
    response: { 200: PageAnswer(DeliveryDetailAnswer) },
  };
  server.get("/api/app/v1/feed/:id/deliveries", { schema }, async (request) => {
    const { accountId } = await authenticate(request);
    const { limit, after } = parsePage(request.query);
    const windows = windowsOf(accountId, await staysOf(accountId));
    const entry = await findEntry(context, { accountId, windows, id: request.params.id });
    if (entry === null) throw notInFeed();
    const deliveries = await loadOwnDeliveries(context, {
      notification: entry.notification,
      accountId,
    });
    const remaining = after === null ? deliveries : deliveries.filter(({ id }) => id > after);
    const { items, nextCursor } = pageOf(remaining, limit);
    return { items: items.map(({ detail }) => detail), nextCursor };
  });
}
