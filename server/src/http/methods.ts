import type { HTTPMethods } from "fastify";
import type { Server } from "./server.ts";
import { errorBody, surfaceOf } from "./answer.ts";

const METHODS: readonly HTTPMethods[] = [
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
  "TRACE",
];

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
    for (const [url, methods] of allowed) {
      const refused = METHODS.filter((method) => !methods.has(method));
      const allow = [...methods].toSorted().join(", ");
      server.route({
        method: [...refused],
        url,
        schema: { hide: true },
        // A refused method is refused whatever its body is.
        bodyLimit: 1_024 * 1_024,
        handler: async (request, reply) => {
          const message = `${request.method} is not allowed here. Allowed: ${allow}.`;
          const error = { code: "method_not_allowed", message, field: null } as const;
          reply.code(405).header("allow", allow);
          return errorBody(surfaceOf(request.url), { ...error, requestId: request.id });
        },
      });
    }
  });
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
