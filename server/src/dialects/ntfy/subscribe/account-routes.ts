import type { FastifyRequest } from "fastify";
import { AppError } from "#errors.ts";
import type { Server } from "#http/server.ts";
import { authenticateApp, getApp } from "../../authenticate.ts";
import { FOREIGN_ROUTE, type DialectDeps } from "../../dialect.ts";
import { NtfyError } from "../ntfy-error.ts";
import { createParameterReader } from "../parameters.ts";
import type { Beginning } from "../../read-beginning.ts";
import { readAppPassword } from "../read-app-password.ts";
import { createAccountAnswer, parseTokenLabel } from "./account.ts";
import { toSeconds } from "./app-event.ts";

/** Registers the routes that Home Assistant calls when it is set up, and the route of monitors. */
export function registerAccountRoutes(server: Server, deps: DialectDeps): void {
  const { appSignIn, findAppOwner, context } = deps;
  const authenticate = async (request: FastifyRequest, key: string | null) =>
    authenticateApp(deps, request, { key, dialect: "ntfy" });
  const options = {
    ...FOREIGN_ROUTE,
    onRequest: async (request: FastifyRequest) => {
      const key = readAppPassword(request);
      // ntfy describes an anonymous account instead, with which nothing can be done here.
      if (key === null) throw new AppError("invalid_key", "The request has no app password.");
      await authenticate(request, key);
    },
  };
  server.get("/v1/health", FOREIGN_ROUTE, async () => ({ healthy: true }));
  server.get("/v1/account", options, async (request) =>
    createAccountAnswer(await findAppOwner(getApp(request).accountId)),
  );
  server.post("/v1/account/token", options, async (request) => {
    const label = parseTokenLabel(getBytes(request));
    const token = await appSignIn.addToken(getApp(request), label, request);
    const last_access = toSeconds(context.now());
    return { token, ...(label === "" ? {} : { label }), last_access, last_origin: request.ip };
  });
  server.delete("/v1/account/token", options, async (request) => {
    const app = getApp(request);
    const token = createParameterReader(request)("token");
    // The token of the request itself, unless the request names another one of the same app.
    const ended = token === "" ? app : await appSignIn.find(token);
    if (ended === null || ended.deviceId !== app.deviceId) throw new NtfyError(40023);
    await appSignIn.endSecret(ended, request);
    return { success: true };
  });
}

/** The parser of these routes replaces a body by its beginning; a request may have none. */
function getBytes({ body }: FastifyRequest): Uint8Array {
  return (body as Beginning | undefined)?.bytes ?? Buffer.alloc(0);
}
