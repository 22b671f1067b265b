import { hash, timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import type { Registry } from "prom-client";
import { normaliseAddress } from "#audit/address.ts";
import { AppError } from "#errors.ts";
import type { Server } from "./server.ts";

/** The dependencies of the endpoints for monitoring. */
export interface MonitoringDeps {
  readonly metrics: Registry;
  /** The bearer token for `/metrics`; null if only this machine may read them. */
  readonly metricsToken: string | null;
  /** Returns whether this process accepts new work: it has started, its database is writable and it is not stopping. */
  readonly isReady: () => Promise<boolean>;
}

/** Registers the endpoints for monitoring: `/healthz`, `/readyz` and `/metrics`. */
export function registerMonitoring(server: Server, deps: MonitoringDeps): void {
  registerHealthRoute(server);
  server.get("/readyz", { schema: { hide: true } }, async (_request, reply) => {
    const isReady = await deps.isReady();
    // Load balancers read only the status, and they understand 503.
    return reply.code(isReady ? 200 : 503).send({ status: isReady ? "ready" : "not ready" });
  });
  server.get("/metrics", { schema: { hide: true } }, async (request, reply) => {
    if (!mayReadMetrics(request, deps.metricsToken)) {
      throw new AppError("unauthenticated", "Send the metrics token as a bearer token.");
    }
    return reply.type(deps.metrics.contentType).send(await deps.metrics.metrics());
  });
}

/**
 * Registers `/healthz`. The route also accepts a WebSocket, and closes it after one frame: a client that gets the frame
 * knows that no proxy on the way stops the WebSockets of apps.
 */
function registerHealthRoute(server: Server): void {
  server.webSockets.allowAt(/^\/healthz\/?$/);
  server.get("/healthz", { schema: { hide: true } }, async (request, reply) => {
    if (!server.webSockets.isPending(request)) return { status: "ok" };
    const webSocket = server.webSockets.accept(request, reply);
    webSocket?.on("error", () => {});
    webSocket?.send("ok", () => webSocket.terminate());
    return reply;
  });
}

/** Returns whether a request may read the metrics. Without a token, only direct requests from this machine may. */
function mayReadMetrics(request: FastifyRequest, token: string | null): boolean {
  if (token !== null) {
    const sentToken = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "")?.[1] ?? "";
    return timingSafeEqual(hashText(sentToken), hashText(token));
  }
  const isForwarded = "x-forwarded-for" in request.headers || "forwarded" in request.headers;
  const remoteAddress = request.socket.remoteAddress ?? "";
  return (
    !isForwarded && (remoteAddress === "::1" || normaliseAddress(remoteAddress).startsWith("127."))
  );
}

/** Returns a digest of fixed length, because only strings of equal length can be compared in constant time. */
function hashText(text: string): Buffer {
  return hash("sha256", text, "buffer");
}
