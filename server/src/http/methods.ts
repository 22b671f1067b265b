import type { FastifyReply, FastifyRequest } from "fastify";
import createRouter from "find-my-way";
import { errorBody, surfaceOf } from "./answer.ts";
import type { Server } from "./server.ts";

/** The method under which every path is registered: only the path matters here. */
const ANY = "GET";

/** The server's own options for matching paths. */
type RouterOptions = Pick<
  createRouter.Config<createRouter.HTTPVersion.V1>,
  "ignoreTrailingSlash" | "maxParamLength"
>;

/** Answers 405 with `Allow` if a path exists but lacks the method. Covers the routes that are registered after this call. */
export function refuseOtherMethods(server: Server, options: RouterOptions): void {
  const paths = createRouter(options);
  const allowed = new Map<string, Set<string>>();
  server.addHook("onRoute", ({ url, method, schema }) => {
    if (schema?.hide === true && url === "*") return;
    const methods = allowed.get(url) ?? new Set();
    for (const name of [method].flat()) methods.add(name);
    if (!allowed.has(url)) paths.on(ANY, url, () => {}, url);
    allowed.set(url, methods);
  });
  // Runs before the body is read: a method is refused whatever its body.
  server.addHook("onRequest", async (request, reply) => {
    const match = request.is404 ? paths.find(ANY, request.url) : null;
    const methods = allowed.get(String(match?.store));
    return methods === undefined ? undefined : refuseMethod(request, reply, methods);
  });
}

function refuseMethod(
  request: FastifyRequest,
  reply: FastifyReply,
  allowed: ReadonlySet<string>,
): FastifyReply {
  const allow = [...allowed].toSorted().join(", ");
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
  interface FastifySchema {
    /** Keeps a route out of the OpenAPI document. */
    hide?: boolean;
  }
}
