import type { FastifyRequest } from "fastify";
import type { Since, Subscription } from "#apps/app-streams.ts";
import type { Server } from "#http/server.ts";
import { getApp } from "../../authenticate.ts";
import type { DialectDeps } from "../../dialect.ts";
import { isReservedName } from "../../reserved-names.ts";
import { createParameterReader, isYes } from "../parameters.ts";
import { hasConditions, parseFilter, type MessageFilter } from "./filter.ts";
import { parseSince } from "./since.ts";
import { parseSubscriptions } from "./subscriptions.ts";

/** The parameters of a subscription. */
export interface SubscribeInput {
  readonly subscriptions: readonly Subscription[];
  readonly since: Since;
  readonly matches: MessageFilter;
  readonly isFiltered: boolean;
  readonly isPoll: boolean;
  /** The id that the messages must have; null for all. */
  readonly notificationId: string | null;
}

/** Returns the parameters of a request of an app. Throws an `NtfyError` for an invalid one. */
export async function parseSubscribeRequest(
  { server, deps }: { readonly server: Server; readonly deps: DialectDeps },
  request: FastifyRequest,
): Promise<SubscribeInput> {
  // The route's pattern has this parameter.
  const { topics } = request.params as { readonly topics: string };
  const read = createParameterReader(request);
  const isPoll = isYes(read("poll"));
  const since = parseSince(read("since"), { isPoll, now: deps.context.now() });
  const matches = parseFilter(read);
  const ownTopic = await deps.appSignIn.getOwnTopic(getApp(request));
  const subscriptions = parseSubscriptions(topics, {
    ownTopic,
    isReservedName: (name) => isReservedName(server, name),
  });
  const notificationId = read("id").toLowerCase();
  return {
    subscriptions,
    since,
    matches,
    isFiltered: hasConditions(matches),
    isPoll,
    notificationId: notificationId === "" ? null : notificationId,
  };
}
