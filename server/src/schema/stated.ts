import type { TSchema } from "./json-schema.ts";

/** Under which a schema carries what the document says beyond it; a symbol, so that no validator sees it. */
const STATED = Symbol("stated");

/**
 * Returns a schema of which the OpenAPI document says more than is checked by it: what a parser of ours checks itself, to refuse
 * it in words of its own.
 */
export function stated<T extends TSchema>(schema: T, keywords: object): T {
  return { ...schema, [STATED]: keywords };
}

/** Returns a schema with all that is stated of it and of its parts. Nothing of the given schema is changed. */
export function withStated(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withStated);
  if (typeof schema !== "object" || schema === null) return schema;
  const parts = Object.entries(schema).map(([name, part]) => [name, withStated(part)]);
  const keywords: unknown = Reflect.get(schema, STATED);
  return { ...Object.fromEntries(parts), ...(typeof keywords === "object" ? keywords : {}) };
}
