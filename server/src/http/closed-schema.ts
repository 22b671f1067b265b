import type { FastifySchemaCompiler } from "fastify";
import { invalidField, type AppError } from "#errors.ts";
import { surfaceOfPath } from "./answer.ts";
import type { Server } from "./server.ts";

/**
 * Refuses unknown fields in the bodies and queries of the app API and of sign-in: an unexpected field must not reach
 * a handler. The notification and management APIs ignore such fields, because their callers rely on that.
 */
export function refuseUnknownFields(server: Server): void {
  server.addHook("onRoute", (route) => {
    if (route.schema === undefined || surfaceOfPath(route.url) !== "app") return;
    const { body, querystring } = route.schema;
    route.schema = {
      ...route.schema,
      ...(body === undefined ? {} : { body: closeSchema(body) }),
      ...(querystring === undefined ? {} : { querystring: closeSchema(querystring) }),
    };
  });
}

/** A JSON schema as routes declare it. */
type JsonSchema = Readonly<Record<string, unknown>>;

/** Checks only the names of a body's fields, for a route whose own parser checks their values. */
export const checkFieldNames: FastifySchemaCompiler<unknown> =
  ({ schema, httpPart }) =>
  (body: unknown) => {
    const field = httpPart === "body" ? unknownField(schema, body) : null;
    return field === null ? { value: body } : { error: noSuchField(field) };
  };

/** Returns the error for an unknown field of an operation. */
export function noSuchField(field: string): AppError {
  const message = `${field} is no field of this request. Leave it out, or check its spelling.`;
  return invalidField(field, message);
}

/** The maximum length of a caller's field name in an error message. */
const NAME_LENGTH_MAX = 100;

/** Returns a field name, shortened for an error message. */
export function shortenName(name: string): string {
  return name.slice(0, NAME_LENGTH_MAX);
}

/** Returns the path of the first field that a closed schema does not name; null if it names all. */
function unknownField(schema: unknown, value: unknown): string | null {
  if (!isSchema(schema) || !isSchema(value) || !isSchema(schema["properties"])) return null;
  const { properties, additionalProperties } = schema;
  for (const [name, property] of Object.entries(value)) {
    const isKnown = Object.hasOwn(properties, name);
    if (!isKnown && additionalProperties === false) return shortenName(name);
    const inner = isKnown ? unknownField(properties[name], property) : null;
    if (inner !== null) return `${name}.${inner}`;
  }
  return null;
}

/**
 * Returns a copy of the schema in which every object refuses unnamed properties, except for objects that set
 * `additionalProperties` themselves. It is a copy because routes share parts of their schemas.
 */
export function closeSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closeSchema);
  if (!isSchema(schema)) return schema;
  const closed: Record<string, unknown> = { ...schema };
  for (const keyword of SCHEMA_KEYWORDS) {
    if (keyword in schema) closed[keyword] = closeSchema(schema[keyword]);
  }
  const { properties } = schema;
  if (!isSchema(properties)) return closed;
  const entries = Object.entries(properties).map(([name, property]) => [
    name,
    closeSchema(property),
  ]);
  return { additionalProperties: false, ...closed, properties: Object.fromEntries(entries) };
}

/** Keywords whose value is a schema, or a list of them (JSON Schema 2020-12, Core, section 10). */
const SCHEMA_KEYWORDS = ["items", "anyOf", "oneOf", "allOf"];

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
