import type { FastifyRequest } from "fastify";
import { readNtfyKey } from "./credential.ts";

/** Returns the app password or key in the header or the query of a request; null if there is none. */
export function readAppPassword({ headers, query }: FastifyRequest): string | null {
  // Fastify parses queries into objects.
  const values = query as Readonly<Record<string, unknown>>;
  return readNtfyKey({ authorization: headers.authorization, query: values, topic: "" });
}
