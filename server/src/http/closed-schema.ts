import type { FastifySchemaCompiler } from "fastify";
import { invalidField, type AppError } from "#errors.ts";
import { getApiNameOfPath } from "./error-response.ts";
import type { Server } from "./server.ts";

/**
 * Refuses unknown fields in the bodies and queries of the app API and of sign-in: an unexpected field must not reach
 * a handler. The notification and management APIs ignore such fields, because their callers rely on that.
 */
export function refuseUnknownFields(server: Server): void {
  server.addHook("onRoute", (route) => {
    if (route.schema === undefined || getApiNameOfPath(route.url) !== "app") return;
    const { body, querystring } = route.schema;
    route.schema = {
      ...route.schema,
      ...(body === undefined ? {} : { body: closeSchema(body) }),
      ...(querystring === undefined ? {} : { querystring: closeSchema(querystring) }),
    };
  });
}

/** A JSON object: a schema as routes declare it, or a value. */
type JsonObject = Readonly<Record<string, unknown>>;

/** Compiles validators that check only the names of a body's fields; the route's own parser checks the values. */
export const compileFieldNameValidator: FastifySchemaCompiler<unknown> =
  ({ schema, httpPart }) =>
  (body: unknown) => {
    const field = httpPart === "body" ? findUnknownField(schema, body) : null;
    return field === null ? { value: body } : { error: createUnknownFieldError(field) };
  };

/** Returns the `invalid_field` error for a field that an operation does not have. */
export function createUnknownFieldError(field: string): AppError {
  const message = `This request has no field ${field}. Leave it out, or check its spelling.`;
  return invalidField(field, message);
}

/** The maximum length of a caller's field name in an error message. */
const FIELD_NAME_LENGTH_MAX = 100;

/** Returns a field name, shortened for an error message. */
export function shortenFieldName(name: string): string {
  return name.slice(0, FIELD_NAME_LENGTH_MAX);
}

/** Returns the path of the first field that a closed schema does not name; null if it names all. */
function findUnknownField(schema: unknown, value: unknown): string | null {
  if (!isObject(schema) || !isObject(value) || !isObject(schema["properties"])) return null;
  const { properties, additionalProperties } = schema;
  for (const [name, property] of Object.entries(value)) {
    const isDeclared = Object.hasOwn(properties, name);
    if (!isDeclared && additionalProperties === false) return shortenFieldName(name);
    const nestedField = isDeclared ? findUnknownField(properties[name], property) : null;
    if (nestedField !== null) return `${name}.${nestedField}`;
  }
  return null;
}

/**
 * Returns a copy of the schema in which every object refuses unnamed properties, except for objects that set
 * `additionalProperties` themselves. It is a copy because routes share parts of their schemas.
 */
export function closeSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closeSchema);
  if (!isObject(schema)) return schema;
  const closedSchema: Record<string, unknown> = { ...schema };
  for (const keyword of SCHEMA_KEYWORDS) {
    if (keyword in schema) closedSchema[keyword] = closeSchema(schema[keyword]);
  }
  const { properties } = schema;
  if (!isObject(properties)) return closedSchema;
  const entries = Object.entries(properties).map(([name, property]) => [
    name,
    closeSchema(property),
  ]);
  return { additionalProperties: false, ...closedSchema, properties: Object.fromEntries(entries) };
}

/** Keywords whose value is a schema, or a list of them (JSON Schema 2020-12, Core, section 10). */
const SCHEMA_KEYWORDS = ["items", "anyOf", "oneOf", "allOf"];

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
