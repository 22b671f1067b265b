import type { FastifyRequest } from "fastify";
import { AppError } from "#errors.ts";

/** Throws `forbidden` for a WebSocket of a page of another site: browsers ask no server whether a page may open one. */
export function refuseForeignOrigin({ headers }: FastifyRequest, baseUrl: string): void {
  const { origin, host } = headers;
  if (origin === undefined || origin === new URL(baseUrl).origin) return;
  if (URL.parse(origin)?.host === host) return;
  throw new AppError("forbidden", "This request came from a page of another site.");
}
