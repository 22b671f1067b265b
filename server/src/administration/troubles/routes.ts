import { PUSH_PROVIDERS } from "@tocsin/sdk";
import type { Authenticate } from "#http/authenticate.ts";
import { Timestamp } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { Type } from "#schema/json-schema.ts";
import { listTroubles, type TroublesDeps } from "./troubles.ts";

/** The dependencies of the service troubles route. */
export interface TroubleRouteDeps extends TroublesDeps {
  readonly authenticate: Authenticate;
}

const TroubleSchema = Type.Object({
  provider: Type.Enum(PUSH_PROVIDERS),
  service: Type.String(),
  cause: Type.Enum(["credentials", "failing", "throttled"]),
  since: Timestamp,
  ownDeviceCount: Type.Integer({
    description:
      "My devices whose notifications are late because of it; paused devices do not count.",
  }),
});

/** Registers the list of push services with problems, for accounts with a device there and for administrators. */
export function registerTroubleRoutes(server: Server, deps: TroubleRouteDeps): void {
  const schema = {
    operationId: "listTroubles",
    tags: ["Live"],
    summary:
      "List the push services with problems: those of my devices; for administrators, also those of vendors and those that the operator listed",
    description:
      "Includes the problems that other nodes noticed. A service that asks this server to slow down is listed after a minute. Nothing is lost: notifications wait until they expire.",
    response: { 200: Type.Object({ items: Type.Array(TroubleSchema) }) },
  };
  server.get("/api/app/v1/troubles", { schema }, async (request) => {
    const { accountId, isAdmin } = await deps.authenticate(request);
    return { items: await listTroubles(deps, { accountId, isAdmin }) };
  });
}
