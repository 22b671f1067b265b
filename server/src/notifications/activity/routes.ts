import { ACTIVITY_DAYS, PROVIDERS } from "@tocsin/sdk";
import { Type } from "#schema/json-schema.ts";
import type { QueueStats } from "#delivery/store/delivery-store.ts";
import { AppError } from "#errors.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { Nullable } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { findAudienceIds, type LogDeps } from "../log/find-own-notification.ts";
import { countEnded, countSent, countWaiting } from "./store.ts";
import { listLastDays, summarizeActivity } from "./summary.ts";

/** The dependencies of the activity route. */
export interface ActivityRouteDeps extends LogDeps {
  readonly authenticate: Authenticate;
  /** Returns the state of the queue. */
  readonly queueStats: () => Promise<QueueStats>;
}

const DAYS_DEFAULT = 7;

const EndedCountProperties = {
  delivered: Type.Integer(),
  failed: Type.Integer(),
  skipped: Type.Integer(),
};

const ActivitySchema = Type.Object({
  days: Type.Immutable(
    Type.Array(
      Type.Object({
        day: Type.String({ description: "In UTC." }),
        sent: Type.Integer({ description: "Notifications, while they are kept." }),
        ...EndedCountProperties,
      }),
    ),
  ),
  providers: Type.Immutable(
    Type.Array(Type.Object({ provider: Type.Enum(PROVIDERS), ...EndedCountProperties })),
  ),
  errors: Type.Immutable(
    Type.Array(Type.Object({ code: Type.String(), count: Type.Integer() }), {
      description: "Why deliveries failed, most frequent first.",
    }),
  ),
  handOverMs: Nullable(
    Type.Object(
      { p50: Type.Integer(), p95: Type.Integer() },
      { description: "From acceptance to hand-over to the push service, accurate to 20 %." },
    ),
  ),
  waiting: Type.Integer({ description: "Notifications with unfinished deliveries, up to 10,000." }),
  queue: Nullable(
    Type.Object({ jobs: Type.Integer(), due: Type.Integer(), oldestDueMs: Type.Integer() }),
  ),
});

/** Registers the operation that counts notifications and their results by day. */
export function registerActivityRoutes(server: Server, deps: ActivityRouteDeps): void {
  const { context, authenticate, queueStats } = deps;
  server.get(
    "/api/app/v1/activity",
    {
      schema: {
        operationId: "getActivity",
        errorStatuses: [403],
        summary: "Show how much was sent over some days, and the results",
        tags: ["Delivery log"],
        querystring: Type.Object({
          days: Type.Optional(Type.Enum(ACTIVITY_DAYS.map(String))),
          scope: Type.Optional(
            Type.Enum(["own", "server"], {
              description: "`server` covers all accounts, and is only for administrators.",
            }),
          ),
        }),
        response: { 200: ActivitySchema },
      },
    },
    async (request) => {
      const person = await authenticate(request);
      const isServerScope = request.query.scope === "server";
      if (isServerScope && !person.isAdmin) {
        throw new AppError("forbidden", "Only administrators see what the whole server does.");
      }
      const audienceIds = isServerScope ? null : await findAudienceIds(deps, person.accountId);
      const days = listLastDays(context.now(), Number(request.query.days ?? DAYS_DEFAULT));
      const [rows, sent, waiting, queue] = await Promise.all([
        countEnded(context, { audienceIds, days }),
        countSent(context, { audienceIds, days }),
        countWaiting(context, audienceIds),
        isServerScope ? queueStats() : null,
      ]);
      return { ...summarizeActivity({ rows, sent }), waiting, queue };
    },
  );
}
