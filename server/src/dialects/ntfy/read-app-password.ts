import type { FastifyRequest } from "fastify";
import { readNtfyKey } from "./credential.ts";

/** Returns the app password or key of a request that is not in its topic; null if it has none. */
export function readAppPassword({ headers, query }: FastifyRequest): string | null {
  // Fastify parses queries into objects.
  const values = query as Readonly<Record<string, unknown>>;
  return readNtfyKey({ authorization: headers.authorization, query: values, topic: "" });
}
