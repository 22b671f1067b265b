import { APP_PROOFS, ATTEMPT_OUTCOMES, DELIVERY_CODES, DELIVERY_STATES } from "@tocsin/sdk";
import { Type } from "#schema/json-schema.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { toPage, PageQuery, parsePage } from "#http/page.ts";
import { IdParams, Nullable, PageResponse } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { DeviceOwnerSchema } from "#devices/team-devices/routes.ts";
import { findOwnNotification, type LogDeps } from "../find-own-notification.ts";
import { loadDeliveries } from "../records.ts";
import { DeliveryStateQuerySchema, parseStateFilter } from "../search/query.ts";

/** The dependencies of the route that lists the deliveries of a notification. */
export interface DeliveryRouteDeps extends LogDeps {
  readonly authenticate: Authenticate;
}

/** The schema properties of every delivery. */
export const DeliveryProperties = {
  deviceId: Type.String(),
  deviceName: Type.String(),
  provider: Type.String(),
  state: Type.Enum([...DELIVERY_STATES]),
  code: Nullable(Type.String({ description: `One of ${DELIVERY_CODES.join(", ")}.` })),
  message: Nullable(Type.String()),
  proof: Type.Optional(
    Type.Object(
      { how: Type.Enum([...APP_PROOFS]), at: Type.String() },
      {
        description:
          "How a connected app last proved that it has the notification, and when; absent while there is no proof, and for push services.",
      },
    ),
  ),
  attempts: Type.Integer(),
  updatedAt: Type.String(),
};

/** The schema of one delivery, with its recorded attempts. */
export const DeliveryDetailSchema = Type.Object({
  ...DeliveryProperties,
  owner: Nullable(DeviceOwnerSchema),
  nextAttemptAt: Nullable(Type.String()),
  attemptHistory: Type.Array(
    Type.Object({
      attempt: Nullable(Type.Integer()),
      at: Type.String(),
      outcome: Type.Enum([...ATTEMPT_OUTCOMES]),
      code: Type.String(),
      answer: Nullable(Type.String()),
      nextAttemptAt: Nullable(Type.String()),
    }),
  ),
  attemptsLeftOut: Type.Integer(),
});

/** Registers `/notifications/{id}/deliveries`. */
export function registerDeliveryRoutes(server: Server, deps: DeliveryRouteDeps): void {
  server.get(
    "/api/app/v1/notifications/:id/deliveries",
    {
      schema: {
        operationId: "listDeliveries",
        summary: "List the results of a sent notification on every device, failures first",
        tags: ["Delivery log"],
        params: IdParams,
        querystring: Type.Object({
          ...PageQuery.properties,
          state: Type.Optional({
            ...DeliveryStateQuerySchema,
            description: "Returns only deliveries with this result.",
          }),
        }),
        response: { 200: PageResponse(DeliveryDetailSchema) },
      },
    },
    async (request) => {
      const { accountId } = await deps.authenticate(request);
      const { limit, after } = parsePage(request.query);
      const stateFilter = parseStateFilter(request.query.state);
      const notification = await findOwnNotification(deps, { accountId, id: request.params.id });
      const pageQuery = { stateFilter, after, limit: limit + 1 };
      const { items, nextCursor } = toPage(
        await loadDeliveries(deps.context, notification, pageQuery),
        limit,
      );
      return { items: items.map(({ detail }) => detail), nextCursor };
    },
  );
}
