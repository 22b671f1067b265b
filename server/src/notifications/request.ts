import { LIMITS, type NotificationContent } from "@tocsin/sdk";
import { parseContent } from "#content/content.ts";
import { listIgnoredFields, type ContentInput } from "#content/readers.ts";
import { AppError, invalidField } from "#errors.ts";
import { parseInteraction, type InteractionFields } from "./interaction-fields.ts";

/** The parts of a request that define a send. */
export interface SendRequest {
  readonly body: unknown;
  readonly query: unknown;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** A validated draft with every field set, its time to live and its idempotency key. */
export interface SendParameters extends ParsedDraft, ParsedHeaders {
  /** JSON of the fields that only the apps of another service can show; none by default. */
  readonly extras?: string | null;
}

/** The parameters of a send that are always in headers. */
export interface ParsedHeaders {
  readonly ttlSeconds: number;
  readonly idempotencyKey: string | null;
}

interface ParsedDraft {
  readonly draft: NotificationContent;
  /** The fields that ask somebody to act; null if there are none. */
  readonly interaction: InteractionFields | null;
  /** The names of the fields whose values were ignored. */
  readonly ignoredFields: readonly string[];
}

/**
 * Returns the parameters of a send in a JSON body; throws `invalid_json` if the body is not an object, and
 * `invalid_field` for the first invalid field.
 */
export function parseJsonSend({ body, headers }: SendRequest): SendParameters {
  return { ...parseBody(body), ...parseSendHeaders(headers) };
}

/** Returns the parameters of a send in a query, or in the body if there is one: scripts post both to webhook URLs. */
export function parseWebhookSend({ body, query, headers }: SendRequest): SendParameters {
  // Fastify parses queries into objects of strings and lists of strings.
  const fields = query as Readonly<Record<string, unknown>>;
  const parsed = body === undefined || body === null ? parseQuery(fields) : parseBody(body);
  return { ...parsed, ...parseSendHeaders(headers) };
}

/**
 * Returns the draft in a JSON body; throws `invalid_json` if the body is not an object, and `invalid_field` for the
 * first invalid field.
 */
function parseBody(body: unknown): ParsedDraft {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new AppError("invalid_json", 'Send a JSON object such as {"title":"…","body":"…"}.');
  }
  // Unknown fields are ignored, known ones are checked one by one.
  const fields = body as Readonly<Record<string, unknown>>;
  return parseFields({ fields, flagFormat: "booleans" });
}

/** Returns the draft in the fields of a query; throws `invalid_field`, also for a repeated parameter. */
function parseQuery(query: Readonly<Record<string, unknown>>): ParsedDraft {
  for (const [name, value] of Object.entries(query)) {
    if (Array.isArray(value)) throw invalidField(name, `${name} is given more than once.`);
  }
  return parseFields({ fields: query, flagFormat: "words" });
}

function parseFields(input: ContentInput): ParsedDraft {
  const draft = parseContent(input);
  const interaction = parseInteraction(input, draft.priority);
  return { draft, interaction, ignoredFields: listIgnoredFields(input) };
}

/** Returns the parameters of a send in its headers; throws `invalid_field`. */
export function parseSendHeaders(headers: SendRequest["headers"]): ParsedHeaders {
  return { ttlSeconds: parseTtl(headers["x-ttl"]), idempotencyKey: parseIdempotencyKey(headers) };
}

function parseTtl(header: string | string[] | undefined): number {
  if (header === undefined || header === "") return LIMITS.ttlSecondsDefault;
  const seconds = Number(header);
  const isWhole = typeof header === "string" && /^\d+$/.test(header.trim());
  if (isWhole && seconds >= LIMITS.ttlSecondsMin && seconds <= LIMITS.ttlSecondsMax) return seconds;
  const range = `${LIMITS.ttlSecondsMin} to ${LIMITS.ttlSecondsMax}`;
  throw invalidField("X-TTL", `X-TTL must be a whole number of seconds from ${range}.`);
}

function parseIdempotencyKey(headers: SendRequest["headers"]): string | null {
  const key = headers["idempotency-key"];
  if (key === undefined || key === "") return null;
  if (typeof key === "string" && key.length <= LIMITS.idempotencyKeyLength) return key;
  throw invalidField(
    "Idempotency-Key",
    `Idempotency-Key may have at most ${LIMITS.idempotencyKeyLength} characters.`,
  );
}
