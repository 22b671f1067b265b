import { METHODS } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { errorBody, surfaceOf } from "./answer.ts";
import type { Server } from "./server.ts";

/** Node never makes a request of it. */
const TUNNEL = "CONNECT";

/** Answers 405 with `Allow` for every method that a path of ours does not have. */
export function refuseOtherMethods(server: Server): void {
  const allowed = new Map<string, Set<string>>();
  server.addHook("onRoute", ({ url, method, schema }) => {
    if (schema?.hide === true && url === "*") return;
    const methods = allowed.get(url) ?? new Set();
    for (const name of [method].flat()) methods.add(name);
    allowed.set(url, methods);
  });
  server.decorate("refuseOtherMethods", () => {
    const known = METHODS.filter((method) => method !== TUNNEL);
    for (const method of known) {
      if (!server.supportedMethods.includes(method)) server.addHttpMethod(method);
    }
    for (const [url, methods] of allowed) {
      const allow = [...methods].toSorted().join(", ");
      const refuse = async (request: FastifyRequest, reply: FastifyReply) =>
        refuseMethod(request, reply, allow);
      server.route({
        method: known.filter((method) => !methods.has(method)),
        url,
        schema: { hide: true },
        // Before the body is read: a refused method is refused whatever is sent with it.
        onRequest: refuse,
        handler: refuse,
      });
    }
  });
}

function refuseMethod(request: FastifyRequest, reply: FastifyReply, allow: string): FastifyReply {
  const message = `${request.method} is not allowed here. Allowed: ${allow}.`;
  const error = {
    code: "method_not_allowed",
    message,
    field: null,
    requestId: request.id,
  } as const;
  return reply
    .code(405)
    .header("allow", allow)
    .send(errorBody(surfaceOf(request), error));
}

declare module "fastify" {
  interface FastifyInstance {
    /** Closes the list of routes: called once, after every room has registered its own. */
    refuseOtherMethods(): void;
  }
  interface FastifySchema {
    /** Keeps a route out of the OpenAPI document. */
    hide?: boolean;
  }
}
