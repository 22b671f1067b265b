import type { FastifyReply, FastifyRequest } from "fastify";
import createRouter from "find-my-way";
import { toErrorBody, getApiName } from "./error-response.ts";
import type { Server } from "./server.ts";

/** The method under which every path is registered in the router below, which matches only paths. */
const ANY_METHOD = "GET";

/** The options of the server for matching paths. */
type RouterOptions = Pick<
  createRouter.Config<createRouter.HTTPVersion.V1>,
  "ignoreTrailingSlash" | "maxParamLength"
>;

/**
 * Answers 405 with `Allow` if a path exists but lacks the method. Covers the routes that are registered after this
 * call.
 */
export function refuseOtherMethods(server: Server, options: RouterOptions): void {
  // Built for the first request without a route: all paths together take 20 ms.
  let pathRouter: PathRouter | null = null;
  const methodsByPath = new Map<string, Set<string>>();
  server.addHook("onRoute", ({ url, method, schema, config }) => {
    if ((schema?.hide === true && url === "*") || config?.isForeign === true) return;
    const methods = methodsByPath.get(url) ?? new Set();
    for (const name of [method].flat()) methods.add(name);
    methodsByPath.set(url, methods);
  });
  // Runs before the body is read: a method is refused whatever its body.
  server.addHook("onRequest", (request, reply, done) => {
    if (!request.is404) {
      done();
      return;
    }
    pathRouter ??= createPathRouter(methodsByPath.keys(), options);
    const match = pathRouter.find(ANY_METHOD, request.url);
    const methods = match === null ? undefined : methodsByPath.get(String(match.store));
    if (methods === undefined) done();
    else refuseMethod(request, reply, methods);
  });
}

type PathRouter = createRouter.Instance<createRouter.HTTPVersion.V1>;

function createPathRouter(paths: Iterable<string>, options: RouterOptions): PathRouter {
  const router = createRouter(options);
  for (const path of paths) router.on(ANY_METHOD, path, () => {}, path);
  return router;
}

function refuseMethod(
  request: FastifyRequest,
  reply: FastifyReply,
  allowedMethods: ReadonlySet<string>,
): FastifyReply {
  const allow = [...allowedMethods].toSorted().join(", ");
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
    .send(toErrorBody(getApiName(request), error));
}

declare module "fastify" {
  interface FastifyContextConfig {
    /** Marks a route of another service's API. With another method, its path is unknown, as without the route. */
    isForeign?: boolean;
  }
  interface FastifySchema {
    /** Keeps a route out of the OpenAPI document. */
    hide?: boolean;
  }
}
