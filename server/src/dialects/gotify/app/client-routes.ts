import type { FastifyRequest } from "fastify";
import type { SignedInApp } from "#apps/app.ts";
import { AppError } from "#errors.ts";
import type { Server } from "#http/server.ts";
import { authenticateApp, getApp } from "../../authenticate.ts";
import { FOREIGN_ROUTE, type DialectDeps } from "../../dialect.ts";
import { createFieldReader } from "../../read-fields.ts";
import { toNumericId } from "../ids.ts";
import { readBasic, readToken, type BasicCredentials } from "../token.ts";
import { parsePathNumber } from "./page.ts";

/** Registers the routes with which apps of Gotify sign in and out. The password is the code of a pairing. */
export function registerClientRoutes(server: Server, deps: DialectDeps): void {
  const authenticate = async (request: FastifyRequest) =>
    authenticateApp(deps, request, { key: readToken(request), dialect: "gotify" });
  const options = { ...FOREIGN_ROUTE, onRequest: authenticate };
  server.get("/current/user", FOREIGN_ROUTE, async (request) => {
    const basic = readBasic(request);
    if (basic !== null) {
      const { accountId } = await deps.appPairing.check(createProof(request, basic));
      return createUser(deps, accountId);
    }
    await authenticate(request);
    return createUser(deps, getApp(request).accountId);
  });
  server.post("/client", FOREIGN_ROUTE, async (request) => addClient(deps, request));
  server.get("/client", options, async (request) => {
    const { deviceId, deviceName: name } = getApp(request);
    // At sign-out, the app looks for its own token in the list.
    return [{ id: toNumericId(deviceId), token: readToken(request), name, lastUsed: null }];
  });
  server.delete("/client/:id", options, async (request, reply) => {
    const app = getApp(request);
    requireOwnId(request, app);
    await deps.appSignIn.remove(app, request);
    return reply.send();
  });
}

/** Uses up a code, and adds the app that sent it. */
async function addClient(deps: DialectDeps, request: FastifyRequest) {
  const basic = readBasic(request);
  if (basic === null) throw new AppError("missing_key", "The request has no user name.");
  const { headers, query, body } = request as ClientRequest;
  const contentType = headers["content-type"] ?? "";
  const read = await createFieldReader({ bytes: body ?? null, contentType, query });
  const name = read("name");
  if (typeof name !== "string" || name.trim() === "")
    throw new AppError("invalid_field", "Field 'name' is required", { field: "name" });
  const { accountId, actor } = await deps.appPairing.use(createProof(request, basic));
  const { app, secret } = await deps.appSignIn.add({
    accountId,
    client: "gotify",
    name: name.trim(),
    platform: "android",
    actor,
  });
  const id = toNumericId(app.deviceId);
  return { id, token: secret, name: app.deviceName, lastUsed: null };
}

/** A request with a body of bytes, or without one. The server parses queries into objects. */
type ClientRequest = FastifyRequest<{
  Querystring: Readonly<Record<string, unknown>>;
  Body: Uint8Array | undefined;
}>;

function createProof(request: FastifyRequest, { name, password }: BasicCredentials) {
  return { email: name, code: password, caller: request };
}

async function createUser({ findAppOwner }: DialectDeps, accountId: string) {
  const { email } = await findAppOwner(accountId);
  return { id: toNumericId(accountId), name: email, admin: false };
}

/** Throws `not_found` for the id of another client: an app can remove only itself. */
function requireOwnId({ params }: FastifyRequest, { deviceId }: SignedInApp): void {
  // The route's pattern has this parameter.
  const { id } = params as { readonly id: string };
  if (parsePathNumber(id) === toNumericId(deviceId)) return;
  throw new AppError("not_found", "There is no client with this id.");
}
