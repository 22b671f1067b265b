import type { TSchema } from "./json-schema.ts";

/** Key of the keywords that only the OpenAPI document shows; a symbol, so that no validator sees it. */
const STATED = Symbol("stated");

/**
 * Returns a schema with keywords that only the OpenAPI document shows. Our own parsers check them, to return more
 * specific errors.
 */
export function stated<T extends TSchema>(schema: T, keywords: object): T {
  return { ...schema, [STATED]: keywords };
}

/** Returns a copy of a schema that includes the stated keywords of itself and its parts. */
export function withStated(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withStated);
  if (typeof schema !== "object" || schema === null) return schema;
  const parts = Object.entries(schema).map(([name, part]) => [name, withStated(part)]);
  const keywords: unknown = Reflect.get(schema, STATED);
  return { ...Object.fromEntries(parts), ...(typeof keywords === "object" ? keywords : {}) };
}
