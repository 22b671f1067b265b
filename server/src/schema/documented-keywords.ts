import type { TSchema } from "./json-schema.ts";

/** The key of the keywords that only the OpenAPI document shows: a symbol, which validators ignore. */
const DOCUMENTED_KEYWORDS = Symbol("documented keywords");

/**
 * Returns a schema with keywords that only the OpenAPI document shows. The server's own parsers check them, because
 * their errors are more specific.
 */
export function addDocumentedKeywords<T extends TSchema>(schema: T, keywords: object): T {
  return { ...schema, [DOCUMENTED_KEYWORDS]: keywords };
}

/** Returns a copy of a schema in which the documented keywords of the schema and its parts are ordinary keywords. */
export function showDocumentedKeywords(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(showDocumentedKeywords);
  if (typeof schema !== "object" || schema === null) return schema;
  const parts = Object.entries(schema).map(([name, part]) => [name, showDocumentedKeywords(part)]);
  const keywords: unknown = Reflect.get(schema, DOCUMENTED_KEYWORDS);
  return { ...Object.fromEntries(parts), ...(typeof keywords === "object" ? keywords : {}) };
}
