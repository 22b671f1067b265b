import { AppError } from "#errors.ts";
import { foldNames } from "../fold-names.ts";
import { parseForeignJson } from "../foreign-json.ts";

/** A message in the format of Gotify's API. */
export interface GotifyMessage {
  readonly message: string;
  /** "" if it has no title. */
  readonly title: string;
  /** Null if it has no priority. */
  readonly priority: number | null;
  readonly extras: Readonly<Record<string, unknown>> | null;
}

/** The parts of a request that contain a message. */
export interface MessageRequest {
  /** Null for a request without a body. */
  readonly bytes: Uint8Array | null;
  readonly contentType: string;
  readonly query: Readonly<Record<string, unknown>>;
}

type ReadField = (name: string) => unknown;

/**
 * Returns the message in a body of JSON, a form or a multipart form, or in the query. Throws `invalid_json` and
 * `invalid_field`.
 */
export async function readMessage({
  bytes,
  contentType,
  query,
}: MessageRequest): Promise<GotifyMessage> {
  const readBody = bytes === null || bytes.length === 0 ? null : await parse(bytes, contentType);
  return toMessage((name) => readBody?.(name) ?? query[name]);
}

async function parse(bytes: Uint8Array, contentType: string): Promise<ReadField> {
  if (/^multipart\/form-data/i.test(contentType)) {
    const form = await parseMultipart(bytes, contentType);
    return (name) => form.get(name);
  }
  if (/^application\/(?:[\w.-]+\+)?json/i.test(contentType))
    return toFieldReader(parseForeignJson(bytes));
  const form = new URLSearchParams(Buffer.from(bytes).toString("utf8"));
  return (name) => form.get(name);
}

async function parseMultipart(bytes: Uint8Array, contentType: string): Promise<FormData> {
  const headers = { "content-type": contentType };
  try {
    return await new Response(Buffer.from(bytes), { headers }).formData();
  } catch (error) {
    throw new AppError("invalid_request", "The multipart form cannot be read.", { cause: error });
  }
}

function toFieldReader(value: unknown): ReadField {
  if (!isObject(value)) throw new AppError("invalid_json", "The body must be a JSON object.");
  const members = foldNames(value);
  return (name) => (Object.hasOwn(members, name) ? members[name] : undefined);
}

function toMessage(read: ReadField): GotifyMessage {
  const message = toText(read("message"), "message");
  // Gotify's own text.
  if (message === "") throw invalidMessageField("message", "is required");
  const extras = read("extras");
  return {
    message,
    title: toText(read("title"), "title"),
    priority: toPriority(read("priority")),
    extras: isObject(extras) ? extras : null,
  };
}

function toText(value: unknown, name: string): string {
  // A repeated query parameter is a list, and the first one counts, as in Gotify.
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (first === undefined || first === null) return "";
  if (typeof first === "string") return first;
  throw invalidMessageField(name, "must be a text");
}

/** Returns a whole number, which forms and queries write as text. */
function toPriority(value: unknown): number | null {
  const first: unknown = Array.isArray(value) ? value[0] : value;
  if (first === undefined || first === null || first === "") return null;
  const isDigits = typeof first === "string" && /^\s*[-+]?\d+\s*$/.test(first);
  const priority = isDigits ? Number(first) : first;
  if (typeof priority === "number" && Number.isSafeInteger(priority)) return priority;
  throw invalidMessageField("priority", "must be a whole number");
}

function invalidMessageField(field: string, problem: string): AppError {
  return new AppError("invalid_field", `Field '${field}' ${problem}`, { field });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
