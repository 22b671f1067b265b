import { createHash } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { Server } from "#http/server.ts";
import { acceptSend } from "#notifications/routes.ts";
import { parseSendHeaders } from "#notifications/request.ts";
import packageManifest from "../../../package.json" with { type: "json" };
import { authenticateSender, getSender } from "../authenticate.ts";
import { FOREIGN_ROUTE, type DialectDeps } from "../dialect.ts";
import { readMessage } from "./read-message.ts";
import { PRIORITY_DEFAULT, translateMessage } from "./translate.ts";

/** The version of Gotify whose API this is. Clients show it, and compare it with the version that they need. */
const GOTIFY_VERSION = "2.9.1";

/** Registers the routes that senders of Gotify's API call. */
export function registerGotifyRoutes(server: Server, deps: DialectDeps): void {
  // The command line of Gotify requests this to check that the URL is one of a server.
  server.get("/version", FOREIGN_ROUTE, async () => ({
    version: GOTIFY_VERSION,
    commit: `tocsin-${packageManifest.version}`,
    buildDate: "unknown",
  }));
  server.post(
    "/message",
    {
      ...FOREIGN_ROUTE,
      onRequest: async (request) =>
        authenticateSender(deps, request, { key: readToken(request), dialect: "gotify" }),
    },
    async (request, reply) => {
      const { query, body, headers } = request as GotifyRequest;
      const contentType = headers["content-type"] ?? "";
      const message = await readMessage({ bytes: body ?? null, contentType, query });
      const translated = translateMessage(message, getSender(request));
      const parameters = {
        ...translated,
        acting: null,
        ignoredFields: [],
        ...parseSendHeaders(headers),
      };
      const { notificationId } = await acceptSend(deps, { request, reply, parameters });
      const { draft } = translated;
      return {
        id: toInteger((notificationId ?? "").replaceAll("-", "")),
        appid: toInteger(createHash("sha256").update(draft.channel).digest("hex")),
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

/** Returns the token of a request, in Gotify's order (`auth/authentication.go`); null if it has none. */
function readToken(request: FastifyRequest): string | null {
  const { query, headers } = request as GotifyRequest;
  const token = query["token"];
  if (typeof token === "string" && token !== "") return token;
  const header = headers["x-gotify-key"];
  if (typeof header === "string" && header !== "") return header;
  return /^Bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1] ?? null;
}

/** Returns the first 48 bits of hexadecimal digits as an integer: every JSON parser reads so few bits exactly. */
function toInteger(digits: string): number {
  return Number.parseInt(digits.slice(0, 12), 16);
}
