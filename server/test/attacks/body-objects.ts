import type { Schema } from "../app-api/operations.ts";

type Json = Readonly<Record<string, unknown>>;

/** A JSON object in a request body, to which a field can be added. */
export interface BodyObject {
  /** Field names on the path to the object; empty for the body itself. */
  readonly path: readonly string[];
  /** The fields that the schema of the object defines. */
  readonly fieldNames: readonly string[];
  /** True if the schema allows additional fields. */
  readonly isOpen: boolean;
}

/** Lists the body and every object in it. */
export function listBodyObjects(
  schema: Schema,
  body: Json,
  path: readonly string[] = [],
): readonly BodyObject[] {
  const { properties = {}, additionalProperties } = schema;
  const inner = Object.entries(properties).flatMap(([name, part]) => {
    const value = body[name];
    return isObject(value) ? listBodyObjects(part, value, [...path, name]) : [];
  });
  const isOpen = additionalProperties !== false;
  return [{ path, fieldNames: Object.keys(properties), isOpen }, ...inner];
}

/** Returns a copy of the body with a field set; `__proto__` is set like any other name. */
export function copyWithField(
  body: Json,
  [first, ...rest]: readonly string[],
  value: unknown,
): Json {
  if (first === undefined) return body;
  const inner = body[first];
  const nested =
    rest.length === 0 ? value : copyWithField(isObject(inner) ? inner : {}, rest, value);
  return { ...body, [first]: nested };
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
