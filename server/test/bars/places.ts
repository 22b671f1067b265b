import type { Schema } from "../app-api/operations.ts";

type Json = Readonly<Record<string, unknown>>;

/** An object inside a body, into which a field can be put. */
export interface Place {
  /** The names of the fields that lead to it; none for the body itself. */
  readonly path: readonly string[];
  /** The fields that its schema names. */
  readonly known: readonly string[];
  /** True where the schema lets others through. */
  readonly isOpen: boolean;
}

/** Returns the body and every object in it. */
export function placesOf(
  schema: Schema,
  body: Json,
  path: readonly string[] = [],
): readonly Place[] {
  const { properties = {}, additionalProperties } = schema;
  const inner = Object.entries(properties).flatMap(([name, part]) => {
    const value = body[name];
    return isObject(value) ? placesOf(part, value, [...path, name]) : [];
  });
  const isOpen = additionalProperties !== false;
  return [{ path, known: Object.keys(properties), isOpen }, ...inner];
}

/** Returns the body with one field more, or with another value in it; `__proto__` is a name like any other. */
export function withField(body: Json, [first, ...rest]: readonly string[], value: unknown): Json {
  if (first === undefined) return body;
  const inner = body[first];
  const put = rest.length === 0 ? value : withField(isObject(inner) ? inner : {}, rest, value);
  return { ...body, [first]: put };
}

function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
