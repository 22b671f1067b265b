import { addDocumentedKeywords } from "#schema/documented-keywords.ts";
import { Type } from "#schema/json-schema.ts";
import { PLATFORMS, PROVIDERS, type DeviceResult, type PushProviderName } from "@tocsin/sdk";
import { AppError } from "#errors.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { PageQuery, toPage, parsePage } from "#http/page.ts";
import { IdParams, Nullable, PageResponse, Timestamp, VisibleText } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { ActionKeySchema, registerActionKeyRoute } from "./action-keys/routes.ts";
import { loadDeviceResponse, loadDeviceResponses } from "./device-response.ts";
import { NAME_LENGTH_MAX, parseName } from "./device.ts";
import { registerGroupRoutes } from "./groups/routes.ts";
import { registerLeftDeviceRoutes } from "./left-devices/routes.ts";
import { registerTeamDeviceRoutes } from "./team-devices/routes.ts";
import { registerDevice, type RegisterDeviceDeps } from "./register.ts";
import { removeDevice } from "./store/retirement.ts";
import {
  findDevice,
  listDevices,
  updateDevice,
  type ChangedDevice,
  type OwnedDevice,
} from "./store/devices.ts";

/** The dependencies of the device routes. */
export interface DeviceRouteDeps extends RegisterDeviceDeps {
  readonly authenticate: Authenticate;
  /** Sends a test notification to a live device of the account and returns the result. */
  readonly sendTestNotification: (device: OwnedDevice) => Promise<DeviceResult>;
  /** Called after a device was added, refreshed, renamed, paused, resumed or removed; must not throw. */
  readonly onDeviceChanged: (device: ChangedDevice) => void;
}

const tags = ["Devices"];

const PlatformSchema = Type.Enum(PLATFORMS);

const PushAddressSchema = Type.Object(
  {
    provider: Type.Enum(PROVIDERS, {
      description: "Not `stream`: an app that connects by itself has no push address.",
    }),
    token: Type.Optional(Type.String({ description: "For apns and fcm." })),
    environment: Type.Optional(
      Type.Enum(["production", "sandbox"], { description: "For apns; default production." }),
    ),
    endpoint: Type.Optional(Type.String({ description: "For webpush." })),
    expirationTime: Type.Optional(
      Type.Union([Type.Number(), Type.Null()], {
        description: "For webpush, as PushSubscription.toJSON() returns it. The server ignores it.",
      }),
    ),
    keys: Type.Optional(
      Type.Object(
        { p256dh: Type.String(), auth: Type.String() },
        { description: "For webpush; base64url without padding." },
      ),
    ),
  },
  { description: "Where a push service reaches the device; never returned." },
);

/**
 * The rules that the OpenAPI document states for each provider's devices. `parseAddress` and `requireReachablePlatform`
 * enforce them.
 */
const ADDRESS_RULES_BY_PROVIDER: Readonly<Record<PushProviderName, object>> = {
  apns: {
    properties: {
      platform: { const: "ios" },
      push: {
        properties: {
          provider: { const: "apns" },
          token: { pattern: "^(?:[0-9A-Fa-f]{2}){8,200}$" },
        },
        required: ["token"],
      },
    },
  },
  fcm: {
    properties: {
      platform: { const: "android" },
      push: {
        properties: { provider: { const: "fcm" }, token: { pattern: "^[!-~]{1,4096}$" } },
        required: ["token"],
      },
    },
  },
  webpush: {
    properties: {
      push: {
        properties: { provider: { const: "webpush" }, endpoint: { format: "uri" } },
        required: ["endpoint", "keys"],
      },
    },
  },
};

/** The schema of a device as the app API shows it. */
export const DeviceSchema = Type.Object({
  id: Type.String(),
  name: Type.String(),
  platform: PlatformSchema,
  provider: Type.Enum(PROVIDERS),
  paused: Type.Boolean(),
  createdAt: Timestamp,
  registeredAt: Timestamp,
  lastDelivery: Nullable(Type.Object({ state: Type.String(), at: Timestamp })),
  endpointHost: Nullable(Type.String()),
  app: Type.Optional(
    Type.Object(
      {
        client: Type.Enum(["ntfy", "gotify", "other"]),
        connected: Type.Boolean(),
        lastConnectedAt: Nullable(Timestamp),
        topic: Type.String({ description: "Has the notifications of every channel." }),
      },
      {
        description:
          "The app that connects to the server; absent if a push service reaches the device.",
      },
    ),
  ),
});

/** Registers the operations on devices and device groups: the caller's, and those of a team's members. */
export function registerDeviceRoutes(server: Server, deps: DeviceRouteDeps): void {
  registerListRoute(server, deps);
  registerCreateRoute(server, deps);
  registerUpdateRoute(server, deps);
  registerRemoveRoute(server, deps);
  registerTestRoute(server, deps);
  registerActionKeyRoute(server, deps);
  registerLeftDeviceRoutes(server, deps);
  registerTeamDeviceRoutes(server, deps);
  registerGroupRoutes(server, deps);
}

function registerListRoute(server: Server, { context, authenticate }: DeviceRouteDeps): void {
  const schema = {
    operationId: "listDevices",
    summary: "List my devices",
    tags,
    querystring: PageQuery,
    response: {
      200: PageResponse(DeviceSchema),
    },
  };
  server.get("/api/app/v1/devices", { schema }, async (request) => {
    const { accountId } = await authenticate(request);
    const { after, limit } = parsePage(request.query);
    const devices = await listDevices(context, { accountId, after, limit: limit + 1 });
    return toPage(await loadDeviceResponses(context, devices), limit);
  });
}

function registerCreateRoute(server: Server, deps: DeviceRouteDeps): void {
  const schema = {
    operationId: "registerDevice",
    errorStatuses: [409],
    summary: "Add a device, or update the one that has this push address",
    description:
      "You can omit the name of a device that is already yours; it keeps its name. You can repeat the request safely. Only the response for a new device contains its `actionKey`; the operation `renewActionKey` returns another one.",
    tags,
    body: addDocumentedKeywords(
      Type.Object({
        name: Type.Optional(VisibleText(NAME_LENGTH_MAX)),
        platform: PlatformSchema,
        push: PushAddressSchema,
      }),
      { anyOf: Object.values(ADDRESS_RULES_BY_PROVIDER) },
    ),
    response: {
      200: DeviceSchema,
      201: Type.Object({ ...DeviceSchema.properties, actionKey: ActionKeySchema }),
    },
  };
  server.post("/api/app/v1/devices", { schema }, async (request, reply) => {
    const { accountId, actor } = await deps.authenticate(request);
    const { name = null, platform, push } = request.body;
    const { device, isNew, actionKey } = await registerDevice(deps, {
      accountId,
      actor,
      name,
      platform,
      push,
    });
    deps.onDeviceChanged({ accountId, deviceId: device.id, isNew });
    const response = await loadDeviceResponse(deps.context, device);
    if (actionKey === null) return reply.code(200).send(response);
    return reply.code(201).send({ ...response, actionKey });
  });
}

function registerUpdateRoute(server: Server, deps: DeviceRouteDeps): void {
  const schema = {
    operationId: "updateDevice",
    summary: "Rename, pause or resume a device",
    tags,
    params: IdParams,
    body: Type.Object({
      name: Type.Optional(VisibleText(NAME_LENGTH_MAX)),
      paused: Type.Optional(
        Type.Boolean({ description: "A paused device gets no notifications." }),
      ),
    }),
    response: { 200: DeviceSchema },
  };
  server.patch("/api/app/v1/devices/:id", { schema }, async (request) => {
    const { accountId } = await deps.authenticate(request);
    const deviceId = request.params.id;
    const { name, paused = null } = request.body;
    const device = await updateDevice(deps.context, {
      accountId,
      deviceId,
      name: name === undefined ? null : parseName(name),
      isPaused: paused,
    });
    if (device === null) throw createNoSuchDeviceError();
    deps.onDeviceChanged({ accountId, deviceId });
    return loadDeviceResponse(deps.context, device);
  });
}

function registerRemoveRoute(server: Server, deps: DeviceRouteDeps): void {
  const schema = {
    operationId: "removeDevice",
    summary: "Remove a device",
    tags,
    params: IdParams,
    response: { 204: Type.Null() },
  };
  server.delete("/api/app/v1/devices/:id", { schema }, async (request, reply) => {
    const { accountId, actor } = await deps.authenticate(request);
    const device = { accountId, deviceId: request.params.id };
    if (!(await removeDevice(deps.context, { ...device, actor }))) throw createNoSuchDeviceError();
    deps.onDeviceChanged(device);
    return reply.code(204).send(null);
  });
}

function registerTestRoute(
  server: Server,
  { context, authenticate, sendTestNotification }: DeviceRouteDeps,
): void {
  const schema = {
    operationId: "testDevice",
    summary: "Send a test notification to a device",
    tags,
    params: IdParams,
    response: { 200: Type.Object({ success: Type.Boolean(), message: Type.String() }) },
  };
  server.post("/api/app/v1/devices/:id/test", { schema }, async (request) => {
    const { accountId } = await authenticate(request);
    const device = { accountId, deviceId: request.params.id };
    if ((await findDevice(context, device)) === null) throw createNoSuchDeviceError();
    return sendTestNotification(device);
  });
}

/** Returns the same error for another account's device as for a missing one. */
function createNoSuchDeviceError(): AppError {
  return new AppError("not_found", "You have no such device.");
}
