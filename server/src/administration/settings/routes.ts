import { addDocumentedKeywords } from "#schema/documented-keywords.ts";
import { Type } from "#schema/json-schema.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { Nullable } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import {
  changeSettings,
  readCurrentSettings,
  RETENTION_DAYS_MAX,
  SETTING_VARIABLES,
  type SettingsDeps,
} from "./settings.ts";

/** The dependencies of the settings routes. */
export interface SettingsRouteDeps extends SettingsDeps {
  readonly authenticateAdministrator: Authenticate;
}

const SETTINGS_PATH = "/api/app/v1/admin/settings";
const TAGS = ["Administration"];

const FixedBySchema = Nullable(
  Type.String({ description: "The environment variable that fixes this setting, or null." }),
);
const SignUpPolicySchema = Type.Enum(["open", "invite", "closed"]);

const SettingsSchema = Type.Object({
  signUp: Type.Object({ value: SignUpPolicySchema, fixedBy: FixedBySchema }),
  retentionDays: Type.Object({ value: Type.Integer(), fixedBy: FixedBySchema }),
});

/** Registers the operations that show and change the settings of a running server. */
export function registerSettingsRoutes(server: Server, deps: SettingsRouteDeps): void {
  const readSchema = {
    operationId: "getSettings",
    tags: TAGS,
    summary: "Show who can sign up and how long notifications are kept",
    response: { 200: SettingsSchema },
  };
  server.get(SETTINGS_PATH, { schema: readSchema }, async (request) => {
    await deps.authenticateAdministrator(request);
    return readSettingsResponse(deps);
  });
  const changeSchema = {
    operationId: "updateSettings",
    errorStatuses: [409],
    tags: TAGS,
    summary: "Change who can sign up or how long notifications are kept, with immediate effect",
    description: "A setting that an environment variable decides is refused with `conflict`.",
    body: Type.Object({
      signUp: Type.Optional(
        addDocumentedKeywords(Type.String({ description: "open, invite or closed." }), {
          enum: ["open", "invite", "closed"],
        }),
      ),
      retentionDays: Type.Optional(
        addDocumentedKeywords(
          Type.Number({ description: `A number of days from 1 to ${RETENTION_DAYS_MAX}.` }),
          { type: "integer", minimum: 1, maximum: RETENTION_DAYS_MAX },
        ),
      ),
    }),
    response: { 200: SettingsSchema },
  };
  server.patch(SETTINGS_PATH, { schema: changeSchema }, async (request) => {
    const { accountId, actor } = await deps.authenticateAdministrator(request);
    const { signUp, retentionDays } = request.body;
    const change = {
      ...(signUp === undefined ? {} : { signUp }),
      ...(retentionDays === undefined ? {} : { retentionDays }),
    };
    await changeSettings(deps, { ...change, actor });
    deps.context.log.info({ by: accountId, ...change }, "an administrator changed settings");
    return readSettingsResponse(deps);
  });
}

async function readSettingsResponse(deps: SettingsRouteDeps) {
  const { signUp, retentionDays } = await readCurrentSettings(deps);
  const { fixed } = deps.config;
  return {
    signUp: { value: signUp, fixedBy: fixed.signUp ? SETTING_VARIABLES.signUp : null },
    retentionDays: {
      value: retentionDays,
      fixedBy: fixed.retentionDays ? SETTING_VARIABLES.retentionDays : null,
    },
  };
}
