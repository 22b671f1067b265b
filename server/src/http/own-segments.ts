import type { Server } from "./server.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** The first segments of the paths of our own routes, such as `api`. Complete once the server is ready. */
    readonly ownSegments: ReadonlySet<string>;
  }
}

/** Collects the first segments of the paths that are registered after this call, without those of foreign routes. */
export function collectOwnSegments(server: Server): void {
  const segments = new Set<string>();
  server.decorate("ownSegments", segments);
  server.addHook("onRoute", ({ url, config }) => {
    const [, segment = ""] = url.split("/");
    if (config?.isForeign !== true && /^[^:*]/.test(segment)) segments.add(segment);
  });
}
