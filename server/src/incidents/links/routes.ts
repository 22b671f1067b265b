import { createLinkActor } from "#audit/actor.ts";
import type { Server } from "#http/server.ts";
import { Type } from "#schema/json-schema.ts";
import { LinkedIncidentSchema } from "../schemas.ts";
import { acknowledgeByLink, previewLink, type LinkActDeps } from "./act-by-link.ts";

const tags = ["Incidents"];
const TokenBody = Type.Object({
  token: Type.String({ description: "The part of the link after `#token=`." }),
});

/** The dependencies of the routes that a link in an alarm email calls. */
export interface ActLinkRouteDeps extends LinkActDeps {
  /** Returns the result of an attempt, and limits the failures of each network. */
  readonly limitFailures: <T>(ip: string, attempt: () => Promise<T>) => Promise<T>;
}

/**
 * Registers the operations of the link in an alarm email, which needs no session. Both are POST, because programs that
 * scan emails follow links, and a GET must change nothing.
 */
export function registerActLinkRoutes(server: Server, deps: ActLinkRouteDeps): void {
  const { limitFailures } = deps;
  const common = { tags, security: [], errorStatuses: [403, 404, 429], body: TokenBody };
  const previewSchema = {
    ...common,
    operationId: "lookAtActLink",
    summary: "Show the incident of the link in an alarm email; changes nothing",
    response: { 200: LinkedIncidentSchema },
  };
  server.post("/api/app/v1/acts/by-link/look", { schema: previewSchema }, async (request) =>
    limitFailures(request.ip, () => previewLink(deps, request.body.token)),
  );
  const actSchema = {
    ...common,
    operationId: "actByLink",
    summary:
      "Acknowledge the incident of the link in an alarm email, as the person who got the email",
    response: {
      200: Type.Object({
        isChanged: Type.Boolean({ description: "False if it was in this state before." }),
        message: Type.String(),
        incident: LinkedIncidentSchema,
      }),
    },
  };
  server.post("/api/app/v1/acts/by-link", { schema: actSchema }, async (request) =>
    limitFailures(request.ip, () =>
      acknowledgeByLink(deps, {
        token: request.body.token,
        createActor: (accountId) => createLinkActor(request, accountId),
      }),
    ),
  );
}
