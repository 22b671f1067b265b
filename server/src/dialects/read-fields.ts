import { AppError } from "#errors.ts";
import { foldNames } from "./fold-names.ts";
import { parseForeignJson } from "./foreign-json.ts";

/** The parts of a request that contain the fields of a message. */
export interface FieldSource {
  /** Null for a request without a body. */
  readonly bytes: Uint8Array | null;
  readonly contentType: string;
  readonly query: Readonly<Record<string, unknown>>;
}

/** Returns the value of a field; undefined or null if it is not given. */
export type ReadField = (name: string) => unknown;

/**
 * Returns a function that reads the fields of a body of JSON, a form or a multipart form, and those of the query that the
 * body does not have. Throws `invalid_json`, and `invalid_request` for a broken multipart form.
 */
export async function createFieldReader(source: FieldSource): Promise<ReadField> {
  const { bytes, contentType, query } = source;
  const readBody = bytes === null || bytes.length === 0 ? null : await parse(bytes, contentType);
  return (name) => readBody?.(name) ?? readQuery(query, name);
}

/** A repeated parameter is a list, and the first one counts. */
function readQuery(query: FieldSource["query"], name: string): unknown {
  const value = Object.hasOwn(query, name) ? query[name] : undefined;
  return Array.isArray(value) ? value[0] : value;
}

/** Returns whether a value of JSON is an object, and not a list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
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
