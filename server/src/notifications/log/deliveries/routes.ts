import { ATTEMPT_OUTCOMES, DELIVERY_CODES, DELIVERY_STATES } from "@tocsin/sdk";
import { Type } from "#schema/json-schema.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { pageOf, PageQuery, parsePage } from "#http/page.ts";
import { IdParams, Nullable, PageAnswer } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { OwnerAnswer } from "#devices/of-team/routes.ts";
import { findOwnSent, type LogDeps } from "../find-own-sent.ts";
import { loadDeliveries } from "../records.ts";
import { FateQuery, parseFate } from "../search/query.ts";

export interface DeliveryRouteDeps extends LogDeps {
  readonly authenticate: Authenticate;
}

/** The fields of every delivery. */
export const DeliveryFields = {
  deviceId: Type.String(),
  deviceName: Type.String(),
  provider: Type.String(),
  state: Type.Enum([...DELIVERY_STATES]),
  code: Nullable(Type.String({ description: `One of ${DELIVERY_CODES.join(", ")}.` })),
  message: Nullable(Type.String()),
  attempts: Type.Integer(),
  updatedAt: Type.String(),
};

/** The schema of one delivery, with all attempts. */
export const DeliveryDetailAnswer = Type.Object({
  ...DeliveryFields,
  owner: Nullable(OwnerAnswer),
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
        querystring: Type.Object({ ...PageQuery.properties, state: Type.Optional(FateQuery) }),
        response: { 200: PageAnswer(DeliveryDetailAnswer) },
      },
    },
    async (request) => {
      const { accountId } = await deps.authenticate(request);
      const { limit, after } = parsePage(request.query);
      const fate = parseFate(request.query.state);
      const notification = await findOwnSent(deps, { accountId, id: request.params.id });
      const page = { fate, after, limit: limit + 1 };
      const { items, nextCursor } = pageOf(
        await loadDeliveries(deps.context, notification, page),
        limit,
      );
      return { items: items.map(({ detail }) => detail), nextCursor };
    },
  );
}
