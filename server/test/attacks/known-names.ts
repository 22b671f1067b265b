import type { Database } from "../../src/database/database.ts";
import type { Document } from "../app-api/operations.ts";

/** The names that every JavaScript object inherits, or that change its prototype. */
const INHERITED = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"];

/**
 * Returns every property name that the server uses, sorted: names of the OpenAPI document's schemas and parameters,
 * database columns in snake_case and camelCase, actor fields, and names that objects inherit.
 */
export async function listKnownNames(
  document: Document,
  database: Database,
): Promise<readonly string[]> {
  const names = new Set([...INHERITED, "by", "actor", "from", "principal", "session", "context"]);
  collectNames(document, names);
  const tables = await database.db.introspection.getTables();
  for (const { name } of tables.flatMap(({ columns }) => columns)) {
    names.add(name).add(name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()));
  }
  return [...names].toSorted();
}

function collectNames(value: unknown, names: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  if ("properties" in value && typeof value.properties === "object") {
    for (const name of Object.keys(value.properties ?? {})) names.add(name);
  }
  if ("in" in value && "name" in value && typeof value.name === "string") names.add(value.name);
  for (const part of Object.values(value)) collectNames(part, names);
}
