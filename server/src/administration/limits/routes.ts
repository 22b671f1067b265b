import type { Authenticate } from "#http/authenticate.ts";
import type { Server } from "#http/server.ts";
import { Type } from "#schema/json-schema.ts";
import { LIMIT_NAMES, nearLimits, type LimitDeps } from "./limits.ts";

/** The dependencies of the limits route. */
export interface LimitRouteDeps extends LimitDeps {
  readonly authenticateAdministrator: Authenticate;
}

const NearLimitAnswer = Type.Object({
  accountId: Type.String(),
  name: Type.String(),
  email: Type.String(),
  limit: Type.Enum([...LIMIT_NAMES]),
  used: Type.Integer(),
  most: Type.Integer(),
});

/** Registers the list of accounts that are near a limit. */
export function registerLimits(server: Server, deps: LimitRouteDeps): void {
  const schema = {
    operationId: "listNearLimits",
    tags: ["Administration"],
    summary: "List the accounts that use at least 80 % of a limit, nearest to it first",
    description:
      "Counts devices, device groups, own valid API keys and access tokens, and owned teams. Lists at most 200.",
    response: { 200: Type.Object({ items: Type.Array(NearLimitAnswer) }) },
  };
  server.get("/api/app/v1/admin/limits", { schema }, async (request) => {
    await deps.authenticateAdministrator(request);
    return { items: [...(await nearLimits(deps))] };
  });
}
