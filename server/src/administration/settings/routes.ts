import { stated } from "#schema/stated.ts";
import { Type } from "#schema/json-schema.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { Nullable } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { changeSettings, currentSettings, VARIABLES, type SettingsDeps } from "./settings.ts";

/** The dependencies of the settings routes. */
export interface SettingsRouteDeps extends SettingsDeps {
  readonly authenticateAdministrator: Authenticate;
}

const PATH = "/api/app/v1/admin/settings";
const tags = ["Administration"];

const FixedBy = Nullable(
  Type.String({ description: "The environment variable that decides it, or null." }),
);
const Policy = Type.Enum(["open", "invite", "closed"]);

const SettingsAnswer = Type.Object({
  signUp: Type.Object({ value: Policy, fixedBy: FixedBy }),
  retentionDays: Type.Object({ value: Type.Integer(), fixedBy: FixedBy }),
});

/** Registers the settings that an administrator may change while the server runs. */
export function registerSettingsRoutes(server: Server, deps: SettingsRouteDeps): void {
  const read = {
    operationId: "getSettings",
    tags,
    summary: "Show who can sign up and how long notifications are kept",
    response: { 200: SettingsAnswer },
  };
  server.get(PATH, { schema: read }, async (request) => {
    await deps.authenticateAdministrator(request);
    return toAnswer(deps);
  });
  const change = {
    operationId: "updateSettings",
    refusals: [409],
    tags,
    summary: "Change who can sign up or how long notifications are kept, with immediate effect",
    description: "A setting that an environment variable decides is refused with `conflict`.",
    body: Type.Object({
      signUp: Type.Optional(
        stated(Type.String({ description: "open, invite or closed." }), {
          enum: ["open", "invite", "closed"],
        }),
      ),
      retentionDays: Type.Optional(
        stated(Type.Number({ description: "1 to 3650." }), {
          type: "integer",
          minimum: 1,
          maximum: 3_650,
        }),
      ),
    }),
    response: { 200: SettingsAnswer },
  };
  server.patch(PATH, { schema: change }, async (request) => {
    const { accountId, actor } = await deps.authenticateAdministrator(request);
    const { signUp, retentionDays } = request.body;
    const change = {
      ...(signUp === undefined ? {} : { signUp }),
      ...(retentionDays === undefined ? {} : { retentionDays }),
    };
    await changeSettings(deps, { ...change, actor });
    deps.context.log.info({ by: accountId, ...change }, "an administrator changed settings");
    return toAnswer(deps);
  });
}

async function toAnswer(deps: SettingsRouteDeps) {
  const { signUp, retentionDays } = await currentSettings(deps);
  const { fixed } = deps.config;
  return {
    signUp: { value: signUp, fixedBy: fixed.signUp ? VARIABLES.signUp : null },
    retentionDays: {
      value: retentionDays,
      fixedBy: fixed.retentionDays ? VARIABLES.retentionDays : null,
    },
  };
}
