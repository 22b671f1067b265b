import { DELIVERY_STATES } from "@tocsin/sdk";
import { Type } from "#schema/json-schema.ts";
import { CHUNK_MAX } from "#delivery/delivery.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { toPage, PageQuery, toPageWithCursor, parsePage } from "#http/page.ts";
import { IdParams, Nullable, PageResponse } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { FeedItemSchema } from "../feed/routes.ts";
import {
  DeliveryDetailSchema,
  DeliveryProperties,
  registerDeliveryRoutes,
} from "./deliveries/routes.ts";
import { findAudienceIds, findOwnNotification, type LogDeps } from "./find-own-notification.ts";
import { loadRecordWithAttempts, loadRecords } from "./records.ts";
import { FilterQuerySchema, parseFilter } from "./search/query.ts";
import { searchSentNotifications } from "./search/store.ts";

/** The dependencies of the delivery log routes. */
export interface LogRouteDeps extends LogDeps {
  readonly authenticate: Authenticate;
}

/** The maximum number of deliveries per notification in a list, and of a single notification. */
const LISTED_DELIVERIES_MAX = 20;
const SHOWN_DELIVERIES_MAX = CHUNK_MAX;

/** Registers the delivery log: the notifications to the caller's account and to the teams that they manage. */
export function registerLogRoutes(server: Server, deps: LogRouteDeps): void {
  registerListRoute(server, deps);
  registerDetailRoute(server, deps);
  registerDeliveryRoutes(server, deps);
}

function registerListRoute(server: Server, deps: LogRouteDeps): void {
  const { context, authenticate } = deps;
  server.get(
    "/api/app/v1/notifications",
    {
      schema: {
        operationId: "listNotifications",
        summary: "List what I and my keys sent, newest first",
        description:
          "One request searches a limited number of notifications: a page may have fewer items than match, or none, and `nextCursor` continues the search.",
        tags: ["Delivery log"],
        querystring: Type.Object({ ...PageQuery.properties, ...FilterQuerySchema.properties }),
        response: { 200: PageResponse(createRecordSchema(LISTED_DELIVERIES_MAX)) },
      },
    },
    async (request) => {
      const { accountId } = await authenticate(request);
      const { limit, after } = parsePage(request.query);
      const filter = parseFilter(request.query);
      const audienceIds = await findAudienceIds(deps, accountId);
      const search = { audienceIds, filter, after, limit: limit + 1 };
      const { notifications, continueAfter } = await searchSentNotifications(context, search);
      const records = await loadRecords(context, notifications, LISTED_DELIVERIES_MAX);
      const isIncomplete = continueAfter !== null && records.length <= limit;
      return isIncomplete ? toPageWithCursor(records, continueAfter) : toPage(records, limit);
    },
  );
}

function registerDetailRoute(server: Server, deps: LogRouteDeps): void {
  server.get(
    "/api/app/v1/notifications/:id",
    {
      schema: {
        operationId: "getNotification",
        summary: "Show one sent notification and its result on every device",
        tags: ["Delivery log"],
        params: IdParams,
        response: { 200: createDetailSchema(SHOWN_DELIVERIES_MAX) },
      },
    },
    async (request) => {
      const { accountId } = await deps.authenticate(request);
      const notification = await findOwnNotification(deps, { accountId, id: request.params.id });
      return loadRecordWithAttempts(deps.context, notification, SHOWN_DELIVERIES_MAX);
    },
  );
}

const {
  readAt: _readAt,
  teamName: _teamName,
  keyLabel: _keyLabel,
  incidentState: _incidentState,
  promptState: _promptState,
  ...SharedProperties
} = FeedItemSchema.properties;

const RecordProperties = {
  ...SharedProperties,
  expiresAt: Type.String(),
  audience: Type.Object({
    kind: Type.Enum(["account", "team", "group", "device"]),
    id: Type.String(),
    name: Nullable(Type.String()),
  }),
  key: Nullable(
    Type.Object({ id: Type.String(), label: Nullable(Type.String()), hint: Type.String() }),
  ),
  counts: Type.Object(
    Object.fromEntries(DELIVERY_STATES.map((state) => [state, Type.Integer()])) as Record<
      (typeof DELIVERY_STATES)[number],
      ReturnType<typeof Type.Integer>
    >, // It has every state.
  ),
};

/** Returns the schema of a notification with at most `deliveriesMax` of its deliveries. */
export function createRecordSchema(deliveriesMax: number) {
  const description = `At most ${deliveriesMax}; the counts include all.`;
  const deliveries = Type.Array(Type.Object(DeliveryProperties), { description });
  return Type.Object({ ...RecordProperties, deliveries });
}

/** Returns the schema of one notification with at most `deliveriesMax` deliveries and their recorded attempts. */
function createDetailSchema(deliveriesMax: number) {
  const description = `The first ${deliveriesMax}; the list of deliveries has all.`;
  const deliveries = Type.Array(DeliveryDetailSchema, { description });
  return Type.Object({ ...RecordProperties, deliveries });
}
