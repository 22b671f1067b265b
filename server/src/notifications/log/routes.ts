import { DELIVERY_STATES } from "@tocsin/sdk";
import { Type } from "typebox";
import type { Context } from "#context.ts";
import { CHUNK_MAX } from "#delivery/delivery.ts";
import { AppError } from "#errors.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { pageOf, PageQuery, parsePage } from "#http/page.ts";
import { Nullable, PageAnswer } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { FeedItemAnswer } from "../feed/routes.ts";
import { recordsOf } from "./records.ts";
import { findSent, listSent } from "./store.ts";

export interface LogRouteParts {
  readonly context: Context;
  readonly authenticate: Authenticate;
  /** Returns the teams whose deliveries an account may see: those that it manages. */
  readonly managedTeamIds: (accountId: string) => Promise<readonly string[]>;
}

/** A list shows so many deliveries of each notification, one notification by itself so many. */
const LISTED_DELIVERIES_MAX = 20;
const SHOWN_DELIVERIES_MAX = CHUNK_MAX;

const { readAt: _readAt, ...ShownFields } = FeedItemAnswer.properties;

const RecordAnswer = Type.Object({
  ...ShownFields,
  deliveries: Type.Array(
    Type.Object({
      deviceId: Type.String(),
      deviceName: Type.String(),
      provider: Type.String(),
      state: Type.Enum([...DELIVERY_STATES]),
      code: Nullable(Type.String()),
      message: Nullable(Type.String()),
      attempts: Type.Integer(),
      updatedAt: Type.String(),
    }),
    {
      description: `At most ${LISTED_DELIVERIES_MAX} in a list and ${SHOWN_DELIVERIES_MAX} here; counts tell of all.`,
    },
  ),
  counts: Type.Object(
    Object.fromEntries(DELIVERY_STATES.map((state) => [state, Type.Integer()])) as Record<
      (typeof DELIVERY_STATES)[number],
      ReturnType<typeof Type.Integer>
    >, // Made of every state.
  ),
});

/** Registers the delivery log: what my keys sent, and what became of it on every device. */
export function registerLogRoutes(server: Server, parts: LogRouteParts): void {
  const { context, authenticate, managedTeamIds } = parts;
  server.get(
    "/api/app/v1/notifications",
    {
      schema: {
        operationId: "listNotifications",
        summary: "What my keys sent, newest first",
        tags: ["Delivery log"],
        querystring: PageQuery,
        response: {
          200: PageAnswer(RecordAnswer),
        },
      },
    },
    async (request) => {
      const { accountId } = await authenticate(request);
      const { limit, after } = parsePage(request.query);
      const audienceIds = [accountId, ...(await managedTeamIds(accountId))];
      const sent = await listSent(context, { audienceIds, after, limit: limit + 1 });
      return pageOf(await recordsOf(context, sent, LISTED_DELIVERIES_MAX), limit);
    },
  );
  server.get(
    "/api/app/v1/notifications/:id",
    {
      schema: {
        operationId: "getNotification",
        summary: "One notification and what became of it on every device",
        tags: ["Delivery log"],
        params: Type.Object({ id: Type.String() }),
        response: { 200: RecordAnswer },
      },
    },
    async (request) => {
      const { accountId } = await authenticate(request);
      const audienceIds = [accountId, ...(await managedTeamIds(accountId))];
      const { id } = request.params;
      const notification = await findSent(context, { id, audienceIds });
      const [record] =
        notification === null ? [] : await recordsOf(context, [notification], SHOWN_DELIVERIES_MAX);
      if (record === undefined) throw new AppError("not_found", "There is no such notification.");
      return record;
    },
  );
}
