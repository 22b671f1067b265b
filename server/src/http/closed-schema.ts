import type { FastifySchemaCompiler } from "fastify";
import { invalidField, type AppError } from "#errors.ts";
import { surfaceOfPath } from "./answer.ts";
import type { Server } from "./server.ts";

/**
 * Closes the bodies and queries of the app API and of sign-in to fields that their schemas do not name: an unexpected
 * field must not reach a handler. The notification and management APIs ignore such fields, as their callers rely on.
 */
export function refuseUnknownFields(server: Server): void {
  server.addHook("onRoute", (route) => {
    if (route.schema === undefined || surfaceOfPath(route.url) !== "app") return;
    const { body, querystring } = route.schema;
    route.schema = {
      ...route.schema,
      ...(body === undefined ? {} : { body: closedSchema(body) }),
      ...(querystring === undefined ? {} : { querystring: closedSchema(querystring) }),
    };
  });
}

/** A JSON schema as routes declare it. */
type JsonSchema = Readonly<Record<string, unknown>>;

/** Checks only the names of a body's fields, for a route whose own parser checks their values. */
export const checkNamesAlone: FastifySchemaCompiler<unknown> =
  ({ schema, httpPart }) =>
  (body: unknown) => {
    const field = httpPart === "body" ? unknownField(schema, body) : null;
    return field === null ? { value: body } : { error: noSuchField(field) };
  };

/** Returns the error for a field that an operation does not know. */
export function noSuchField(field: string): AppError {
  const message = `${field} is no field of this request. Leave it out, or check its spelling.`;
  return invalidField(field, message);
}

/** Names that a caller made up are repeated up to this many characters. */
const NAME_MAX = 100;

/** Returns a name, shortened for an error message. */
export function shownName(name: string): string {
  return name.slice(0, NAME_MAX);
}

/** Returns the first field that a closed schema does not name, as a path of names; null if it names all. */
function unknownField(schema: unknown, value: unknown): string | null {
  if (!isSchema(schema) || !isSchema(value) || !isSchema(schema["properties"])) return null;
  const { properties, additionalProperties } = schema;
  for (const [name, part] of Object.entries(value)) {
    const isKnown = Object.hasOwn(properties, name);
    if (!isKnown && additionalProperties === false) return shownName(name);
    const inner = isKnown ? unknownField(properties[name], part) : null;
    if (inner !== null) return `${name}.${inner}`;
  }
  return null;
}

/**
 * Returns the schema with every object in it closed to properties that it does not name, except for objects that set
 * `additionalProperties` themselves. Does not change the given schema: routes share parts of theirs.
 */
export function closedSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closedSchema);
  if (!isSchema(schema)) return schema;
  const closed: Record<string, unknown> = { ...schema };
  for (const keyword of HOLDS_SCHEMAS) {
    if (keyword in schema) closed[keyword] = closedSchema(schema[keyword]);
  }
  const { properties } = schema;
  if (!isSchema(properties)) return closed;
  const entries = Object.entries(properties).map(([name, part]) => [name, closedSchema(part)]);
  return { additionalProperties: false, ...closed, properties: Object.fromEntries(entries) };
}

/** Keywords whose value is a schema, or a list of them (JSON Schema 2020-12, Core, section 10). */
const HOLDS_SCHEMAS = ["items", "anyOf", "oneOf", "allOf"];

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
