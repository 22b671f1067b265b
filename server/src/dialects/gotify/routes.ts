import type { FastifyRequest } from "fastify";
import { AppError } from "#errors.ts";
import type { Server } from "#http/server.ts";
import { acceptSend } from "#notifications/routes.ts";
import { parseSendHeaders } from "#notifications/request.ts";
import packageManifest from "../../../package.json" with { type: "json" };
import { authenticateSender, getSender } from "../authenticate.ts";
import { FOREIGN_ROUTE, type DialectDeps } from "../dialect.ts";
import { toApplicationId, toNumericId } from "./ids.ts";
import { readMessage } from "./read-message.ts";
import { readToken } from "./token.ts";
import { GOTIFY_VERSION } from "./version.ts";
import { PRIORITY_DEFAULT, translateMessage } from "./translate.ts";

/** Registers the routes that senders of Gotify's API call. */
export function registerGotifyRoutes(server: Server, deps: DialectDeps): void {
  // The command line of Gotify requests this to check that the URL is that of a server.
  server.get("/version", FOREIGN_ROUTE, async () => ({
    version: GOTIFY_VERSION,
    commit: `tocsin-${packageManifest.version}`,
    buildDate: "unknown",
  }));
  server.post(
    "/message",
    {
      ...FOREIGN_ROUTE,
      onRequest: async (request) => {
        const key = readToken(request);
        await refuseClientToken(deps, key);
        await authenticateSender(deps, request, { key, dialect: "gotify" });
      },
    },
    async (request, reply) => {
      const { query, body, headers } = request as GotifyRequest;
      const contentType = headers["content-type"] ?? "";
      const message = await readMessage({ bytes: body ?? null, contentType, query });
      const translated = translateMessage(message, getSender(request));
      const parameters = {
        ...translated,
        interaction: null,
        ignoredFields: [],
        ...parseSendHeaders(headers),
      };
      const { notificationId } = await acceptSend(deps, { request, reply, parameters });
      const { draft } = translated;
      return {
        id: toNumericId(notificationId ?? ""),
        appid: toApplicationId(draft.channel),
        message: draft.body,
        title: draft.title,
        priority: message.priority ?? PRIORITY_DEFAULT,
        date: new Date(deps.context.now()).toISOString(),
        ...(message.extras === null ? {} : { extras: message.extras }),
      };
    },
  );
}

/** A request with a body of bytes, or without one. The server parses queries into objects. */
type GotifyRequest = FastifyRequest<{
  Querystring: Readonly<Record<string, unknown>>;
  Body: Uint8Array | undefined;
}>;

/** Throws `forbidden` for the token of an app, which only receives. */
async function refuseClientToken({ appSignIn }: DialectDeps, key: string | null): Promise<void> {
  // Keys have another form, so that their senders wait for no search.
  if (key === null || !CLIENT_TOKEN.test(key)) return;
  if ((await appSignIn.find(key)) !== null)
    throw new AppError("forbidden", "An app only receives. Send with an API key.");
}

const CLIENT_TOKEN = /^C[\w-]{43}$/;
