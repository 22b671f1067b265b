import { Type } from "#schema/json-schema.ts";
import { PLATFORMS, type Dialect } from "@tocsin/sdk";
import type { Context } from "#context.ts";
import { NAME_LENGTH_MAX, parseName } from "#devices/device.ts";
import { loadDeviceResponse } from "#devices/device-response.ts";
import { DeviceSchema } from "#devices/routes.ts";
import { invalidField } from "#errors.ts";
import type { Authenticate } from "#http/authenticate.ts";
import { VisibleText } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import type { AppSignIn } from "./sign-in.ts";

/** The dependencies of the operation that adds an app. */
export interface AppRouteDeps {
  readonly context: Context;
  readonly authenticate: Authenticate;
  readonly signIn: AppSignIn;
  /** The APIs of other services that the server speaks. */
  readonly dialects: readonly Dialect[];
  readonly baseUrl: string;
}

const schema = {
  operationId: "addApp",
  errorStatuses: [409],
  summary: "Add an app that speaks the API of ntfy, and create its password",
  description:
    "The response has what a person enters in the app. The password is shown only once, signs in this app alone, and ends with the device. `other` is for programs that listen like the app of ntfy. The app of Gotify needs no such password: it signs in with the code of a pairing.",
  tags: ["Devices"],
  body: Type.Object({
    client: Type.Enum(["ntfy", "other"]),
    name: VisibleText(NAME_LENGTH_MAX),
    platform: Type.Enum(PLATFORMS),
  }),
  response: {
    201: Type.Object({
      device: DeviceSchema,
      url: Type.String({ description: "The address of the server, as the app asks for it." }),
      topic: Type.String({ description: "Has the notifications of every channel." }),
      userName: Type.String(),
      password: Type.String({
        description: "In groups of four; hyphens and case do not matter.",
      }),
    }),
  },
};

/** Registers the operation that adds an app which connects to the server by itself. */
export function registerAppRoutes(server: Server, deps: AppRouteDeps): void {
  server.post("/api/app/v1/apps", { schema }, async (request, reply) => {
    const { accountId, email, actor } = await deps.authenticate(request);
    const { client, name, platform } = request.body;
    requireNtfy(deps);
    const input = { accountId, client, name: parseName(name), platform, actor };
    const { device, secret, topic } = await deps.signIn.add(input);
    return reply.code(201).send({
      device: await loadDeviceResponse(deps.context, device),
      url: new URL(deps.baseUrl).origin,
      topic,
      userName: email,
      password: secret,
    });
  });
}

/** Throws if the server does not speak ntfy's API: the app could not connect. */
function requireNtfy({ dialects }: AppRouteDeps): void {
  if (dialects.includes("ntfy")) return;
  const message = "This server does not speak the API of ntfy: see its setting TOCSIN_DIALECTS.";
  throw invalidField("client", message);
}
