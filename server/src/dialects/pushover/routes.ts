import type { FastifyReply, FastifyRequest } from "fastify";
import type { Server } from "#http/server.ts";
import { parseSendHeaders } from "#notifications/request.ts";
import { acceptSend } from "#notifications/routes.ts";
import { authenticateSender, getSender } from "../authenticate.ts";
import { FOREIGN_ROUTE, type DialectDeps } from "../dialect.ts";
import { readBeginning, type Beginning } from "../read-beginning.ts";
import type { ReadField } from "../read-fields.ts";
import { readPushoverMessage, readText } from "./message.ts";
import { PushoverError } from "./pushover-error.ts";
import { FORM_LIMITS, readForm } from "./read-form.ts";
import {
  findDevices,
  findMessageAudience,
  listUserDevices,
  narrowToDevice,
  toPushoverName,
} from "./audience.ts";
import { translatePushoverMessage } from "./translate.ts";

/** Registers the routes that senders of Pushover's API call. */
export function registerPushoverRoutes(server: Server, deps: DialectDeps): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(
    "*",
    async (_request: FastifyRequest, payload: FastifyRequest["raw"]) =>
      readBeginning(payload, FORM_LIMITS),
  );
  server.post("/1/messages.json", FOREIGN_ROUTE, async (request, reply) => {
    const read = await authenticate(deps, request, reply);
    const sender = getSender(request);
    const userAudience = await findMessageAudience(deps, sender.principal, readText(read, "user"));
    const audience = await narrowToDevice(deps, userAudience, readText(read, "device"));
    const message = readPushoverMessage(read);
    const parameters = translatePushoverMessage(message, sender, parseSendHeaders(request.headers));
    const { ids } = await acceptSend(deps, { request, reply, parameters, audience });
    // Programs ask for the state of an emergency by its receipt.
    const receipt = ids.incidentId === undefined ? {} : { receipt: ids.incidentId };
    return { status: 1, request: request.id, ...receipt };
  });
  server.post("/1/users/validate.json", FOREIGN_ROUTE, async (request, reply) => {
    const read = await authenticate(deps, request, reply);
    const { principal } = getSender(request);
    const audience = await findMessageAudience(deps, principal, readText(read, "user"));
    const devices = await listUserDevices(deps, audience);
    const name = readText(read, "device");
    if (name.trim() !== "" && findDevices(devices, name).length === 0)
      throw new PushoverError("device", "invalid", "device name is not valid for this user");
    const licenses = new Set(devices.map(({ platform }) => LICENSES[platform]));
    return {
      status: 1,
      group: audience.kind === "account" ? 0 : 1,
      devices: devices.map(toPushoverName),
      licenses: [...licenses],
      request: request.id,
    };
  });
}

/** Pushover's names of the platforms. */
const LICENSES = { android: "Android", ios: "iOS", web: "Desktop" } as const;

/** Authenticates a request by its token, which may be in the body. Returns a function that reads its fields. */
async function authenticate(
  deps: DialectDeps,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<ReadField> {
  const { query, body, headers } = request as PushoverRequest;
  const contentType = headers["content-type"] ?? "";
  const read = await readForm({ body: body ?? EMPTY_BODY, contentType, query });
  const token = read("token");
  const key = typeof token === "string" && token !== "" ? token : null;
  await authenticateSender(deps, request, { key, dialect: "pushover" });
  setLimitHeaders(deps, { reply, keyId: getSender(request).principal.keyId });
  return read;
}

const EMPTY_BODY: Beginning = { bytes: Buffer.alloc(0), isComplete: true };

/** A request with the beginning of a body, or without a body. The server parses queries into objects. */
type PushoverRequest = FastifyRequest<{
  Querystring: Readonly<Record<string, unknown>>;
  Body: Beginning | undefined;
}>;

/** The limit that the headers name if this server has none: Pushover's for an application without a paid limit. */
const UNLIMITED = 10_000;

/** Sets the headers about the messages that the key may still send, and the time of the next full burst, in seconds since the epoch. */
function setLimitHeaders(
  { context, rateLimit }: Pick<DialectDeps, "context" | "rateLimit">,
  { reply, keyId }: { readonly reply: FastifyReply; readonly keyId: string },
): void {
  const usage = rateLimit.describe(keyId);
  const limit = usage?.burst ?? UNLIMITED;
  const resetAt = context.now() + (usage?.fullInMs ?? 0);
  reply.header("x-limit-app-limit", String(limit));
  reply.header("x-limit-app-remaining", String(usage?.remaining ?? UNLIMITED));
  reply.header("x-limit-app-reset", String(Math.ceil(resetAt / 1_000)));
}
