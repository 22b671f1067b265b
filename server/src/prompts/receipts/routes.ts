import type { FastifyRequest } from "fastify";
import type { Context } from "#context.ts";
import { AppError } from "#errors.ts";
import {
  authenticateKey,
  createKeyActor,
  createKeyHook,
  getPrincipal,
  type FindPrincipal,
} from "#http/authenticate.ts";
import type { HeldRequests } from "#http/held-requests.ts";
import type { RateLimiter } from "#http/rate-limit.ts";
import { IdParams } from "#http/schema.ts";
import type { Server } from "#http/server.ts";
import { parseWait, WaitQuery } from "#incidents/receipts/wait.ts";
import type { Prompts } from "../prompts.ts";
import type { Prompt } from "../prompt.ts";
import { loadReceipt } from "../response.ts";
import { PromptReceiptSchema } from "../schemas.ts";

/** The dependencies of the routes with which senders read and cancel their prompts. */
export interface PromptReceiptRouteDeps {
  readonly context: Context;
  readonly prompts: Prompts;
  readonly findPrincipal: FindPrincipal;
  readonly rateLimit: RateLimiter;
  readonly heldRequests: HeldRequests;
}

const tags = ["Prompts"];
const security = [{ apiKey: [] }];

/** Registers the operations of a key on the prompts that the key or its predecessors in the rotation chain sent. */
export function registerPromptReceiptRoutes(server: Server, deps: PromptReceiptRouteDeps): void {
  const onRequest = createKeyHook(deps);
  registerReceiptRoute(server, deps, onRequest);
  registerCancelRoute(server, deps, onRequest);
}

type OnRequest = ReturnType<typeof createKeyHook>;

function registerReceiptRoute(
  server: Server,
  { context, prompts, findPrincipal, heldRequests }: PromptReceiptRouteDeps,
  onRequest: OnRequest,
): void {
  const schema = {
    operationId: "getPromptReceipt",
    summary: "Show a prompt and its answers; with `wait`, once it has ended",
    errorStatuses: [404],
    tags,
    security,
    params: IdParams,
    querystring: WaitQuery,
    response: { 200: PromptReceiptSchema },
  };
  server.get("/api/v1/prompts/:id", { schema, onRequest }, async (request, reply) => {
    const waitMs = parseWait(request.query.wait) * 1_000;
    const { id } = request.params;
    const prompt = requireOwn(request, await prompts.find(id));
    if (waitMs === 0 || prompt.state !== "open") return loadReceipt(context, prompt);
    const { keyId } = getPrincipal(request);
    const waited = await heldRequests.hold({ reply, keyId }, (signal) =>
      prompts.waitForEnd(id, { waitMs, signal }),
    );
    // The key may have been revoked meanwhile.
    request.principal = await authenticateKey(findPrincipal, request);
    return loadReceipt(context, requireOwn(request, waited));
  });
}

function registerCancelRoute(
  server: Server,
  { context, prompts }: PromptReceiptRouteDeps,
  onRequest: OnRequest,
): void {
  const schema = {
    operationId: "cancelPrompt",
    summary: "Cancel a prompt; a prompt that has ended stays as it is",
    errorStatuses: [404],
    tags,
    security,
    params: IdParams,
    response: { 200: PromptReceiptSchema },
  };
  server.delete("/api/v1/prompts/:id", { schema, onRequest }, async (request) => {
    const { id } = request.params;
    requireOwn(request, await prompts.find(id));
    const actor = createKeyActor(request, getPrincipal(request));
    await prompts.cancel(id, actor);
    return loadReceipt(context, requireOwn(request, await prompts.find(id)));
  });
}

/** Returns a prompt of the key; throws the same error for another key's prompt as for a missing one. */
function requireOwn(request: FastifyRequest, prompt: Prompt | null): Prompt {
  if (prompt !== null && prompt.incident.source.id === getPrincipal(request).firstKeyId)
    return prompt;
  throw new AppError("not_found", "This key has no such prompt.");
}
