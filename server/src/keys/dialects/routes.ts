import { DIALECTS, type Dialect } from "@tocsin/sdk";
import type { Authenticate } from "#http/authenticate.ts";
import type { Server } from "#http/server.ts";
import { Type } from "#schema/json-schema.ts";

/** The dependencies of the operation that lists the dialects. */
export interface DialectListDeps {
  readonly authenticate: Authenticate;
  /** The dialects that the operator has switched on. */
  readonly dialects: readonly Dialect[];
  /** The host that is asked to wake the app of ntfy on iPhones; null if there is none. */
  readonly ntfyUpstream: string | null;
}

const schema = {
  operationId: "listDialects",
  summary: "List the APIs of other services that this server speaks",
  description:
    "API keys can be for the programs of these services, and phones can use the apps of ntfy and Gotify if their APIs are listed. The operator chooses them with the setting `TOCSIN_DIALECTS`. `ntfyUpstream` is the host that is asked to wake the app of ntfy on iPhones, as `TOCSIN_NTFY_UPSTREAM` says; null if there is none.",
  tags: ["API keys"],
  response: {
    200: Type.Object({
      items: Type.Array(Type.Enum(DIALECTS)),
      ntfyUpstream: Type.Union([Type.String(), Type.Null()]),
    }),
  },
};

/** Registers the operation that lists the dialects. */
export function registerDialectListRoute(
  server: Server,
  { authenticate, dialects, ntfyUpstream }: DialectListDeps,
): void {
  server.get("/api/app/v1/dialects", { schema }, async (request) => {
    await authenticate(request);
    return { items: [...dialects], ntfyUpstream };
  });
}
