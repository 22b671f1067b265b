import { PUSH_PROVIDERS, type PushProviderName } from "@tocsin/sdk";
import { Type } from "#schema/json-schema.ts";
import { createAttemptLimit } from "#accounts/attempt-limit.ts";
import type { Finding } from "#doctor/finding.ts";
import { AppError } from "#errors.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { Nullable, Timestamp } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { FindingSchema } from "../finding-schema.ts";
import { describeProviders, type ProvidersDeps } from "./providers.ts";

/** The dependencies of the provider routes. */
export interface ProviderRouteDeps extends ProvidersDeps {
  readonly authenticateAdministrator: Authenticate;
  /** Checks a provider's services as `tocsin doctor` does. Resolves within 30 seconds. */
  readonly examineProvider: (provider: PushProviderName) => Promise<readonly Finding[]>;
}

/** Limit per administrator, because Apple penalises many requests with a wrong key. */
const VALIDATION_RATE = { name: "examination of push services", burst: 10, perHour: 60 };
const PROVIDERS_PATH = "/api/app/v1/admin/providers";
const tags = ["Administration"];

const ProviderSchema = Type.Object({
  provider: Type.Enum(PUSH_PROVIDERS),
  isConfigured: Type.Boolean(),
  state: Type.Enum(["working", "held", "unused", "off"]),
  settings: Type.Array(
    Type.Object({
      name: Type.Enum(["keyId", "teamId", "topic", "projectId", "publicKey", "subject", "hosts"]),
      value: Type.String(),
    }),
    { description: "The settings, without secrets." },
  ),
  troubles: Type.Array(
    Type.Object({
      service: Type.String(),
      cause: Type.Enum(["credentials", "failing", "throttled"]),
      since: Timestamp,
      message: Type.String(),
    }),
  ),
  lastAcceptedAt: Nullable(Timestamp),
  lastFailure: Nullable(
    Type.Object({
      service: Type.String(),
      code: Type.String(),
      message: Type.String(),
      at: Timestamp,
    }),
  ),
  deviceCount: Type.Integer(),
  waitingCount: Type.Integer({ description: "Messages that wait for a service on hold." }),
});

/** Registers the operations that show and validate the settings of the push services. */
export function registerProviderRoutes(server: Server, deps: ProviderRouteDeps): void {
  const listSchema = {
    operationId: "listProviders",
    tags,
    summary: "Show the settings and the state of each kind of push service",
    response: { 200: Type.Object({ items: Type.Array(ProviderSchema) }) },
  };
  server.get(PROVIDERS_PATH, { schema: listSchema }, async (request) => {
    await deps.authenticateAdministrator(request);
    return { items: await describeProviders(deps) };
  });
  registerValidateRoute(server, deps);
}

function registerValidateRoute(server: Server, deps: ProviderRouteDeps): void {
  const rateLimit = createAttemptLimit(deps.context, VALIDATION_RATE);
  const schema = {
    operationId: "validateProvider",
    errorStatuses: [429],
    tags,
    summary: "Check a provider's settings with its push services, as `tocsin doctor` does",
    description: "Sends nothing to a device. Responds within half a minute.",
    params: Type.Object({ provider: Type.String() }),
    response: { 200: Type.Object({ items: Type.Array(FindingSchema) }) },
  };
  server.post(`${PROVIDERS_PATH}/:provider/validate`, { schema }, async (request) => {
    const { accountId } = await deps.authenticateAdministrator(request);
    const provider = PUSH_PROVIDERS.find((name) => name === request.params.provider);
    if (provider === undefined) throw new AppError("not_found", "There is no such provider.");
    await rateLimit.take(accountId);
    return { items: [...(await deps.examineProvider(provider))] };
  });
}
