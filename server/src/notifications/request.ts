import { LIMITS } from "@tocsin/sdk";
import { invalidField } from "#errors.ts";
import { parseBody, parseQuery, type Draft } from "./draft.ts";

/** The parts of a request that define a send. */
export interface SendRequest {
  readonly body: unknown;
  readonly query: unknown;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The draft, its time to live and its idempotency key. */
export interface SendOrder {
  readonly draft: Draft;
  readonly ttlSeconds: number;
  readonly idempotencyKey: string | null;
}

/** Returns the order in a JSON body; throws `invalid_json` or `invalid_field`. */
export function parseJsonOrder({ body, headers }: SendRequest): SendOrder {
  return { draft: parseBody(body), ...parseHeaders(headers) };
}

/** Returns the order in a query, or in the body if there is one: scripts post both to webhook addresses. */
export function parseWebhookOrder({ body, query, headers }: SendRequest): SendOrder {
  // Fastify parses queries into objects of strings and lists of strings.
  const fields = query as Readonly<Record<string, unknown>>;
  const draft = body === undefined || body === null ? parseQuery(fields) : parseBody(body);
  return { draft, ...parseHeaders(headers) };
}

function parseHeaders(headers: SendRequest["headers"]): Omit<SendOrder, "draft"> {
  return { ttlSeconds: parseTtl(headers["x-ttl"]), idempotencyKey: parseKey(headers) };
}

function parseTtl(header: string | string[] | undefined): number {
  if (header === undefined || header === "") return LIMITS.ttlSecondsDefault;
  const seconds = Number(header);
  const isWhole = typeof header === "string" && /^\d+$/.test(header.trim());
  if (isWhole && seconds >= LIMITS.ttlSecondsMin && seconds <= LIMITS.ttlSecondsMax) return seconds;
  const range = `${LIMITS.ttlSecondsMin} to ${LIMITS.ttlSecondsMax}`;
  throw invalidField("X-TTL", `X-TTL must be a whole number of seconds from ${range}.`);
}

function parseKey(headers: SendRequest["headers"]): string | null {
  const key = headers["idempotency-key"];
  if (key === undefined || key === "") return null;
  if (typeof key === "string" && key.length <= LIMITS.idempotencyKeyLength) return key;
  throw invalidField(
    "Idempotency-Key",
    `Idempotency-Key may have at most ${LIMITS.idempotencyKeyLength} characters.`,
  );
}
