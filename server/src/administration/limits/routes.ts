import type { Authenticate } from "#http/authenticate.ts";
import type { Server } from "#http/server.ts";
import { Type } from "#schema/json-schema.ts";
import { LIMIT_NAMES, listNearLimits, type NearLimitDeps } from "./near-limits.ts";

/** The dependencies of the limits route. */
export interface LimitRouteDeps extends NearLimitDeps {
  readonly authenticateAdministrator: Authenticate;
}

const NearLimitSchema = Type.Object({
  accountId: Type.String(),
  name: Type.String(),
  email: Type.String(),
  limit: Type.Enum([...LIMIT_NAMES]),
  used: Type.Integer(),
  most: Type.Integer(),
});

/** Registers the list of accounts that are near a limit. */
export function registerLimitRoutes(server: Server, deps: LimitRouteDeps): void {
  const schema = {
    operationId: "listNearLimits",
    tags: ["Administration"],
    summary: "List the accounts that use at least 80 % of a limit, nearest to it first",
    description:
      "Counts devices, device groups, own valid API keys and access tokens, and owned teams. Lists at most 200.",
    response: { 200: Type.Object({ items: Type.Array(NearLimitSchema) }) },
  };
  server.get("/api/app/v1/admin/limits", { schema }, async (request) => {
    await deps.authenticateAdministrator(request);
    return { items: [...(await listNearLimits(deps))] };
  });
}
