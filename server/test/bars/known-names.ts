import type { Database } from "../../src/database/database.ts";
import type { Document } from "../app-api/operations.ts";

/** Names that every object of JavaScript has, or that change what it inherits. */
const INHERITED = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"];

/**
 * Returns every name of a property that the server knows, sorted: those of the OpenAPI document's schemas and parameters,
 * the columns of its database as they are called there and in camelCase, the names of actors, and those that objects inherit.
 */
export async function knownNames(
  document: Document,
  database: Database,
): Promise<readonly string[]> {
  const names = new Set([...INHERITED, "by", "actor", "from", "principal", "session", "context"]);
  collect(document, names);
  const tables = await database.db.introspection.getTables();
  for (const { name } of tables.flatMap(({ columns }) => columns)) {
    names.add(name).add(name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()));
  }
  return [...names].toSorted();
}

function collect(value: unknown, names: Set<string>): void {
  if (typeof value !== "object" || value === null) return;
  if ("properties" in value && typeof value.properties === "object") {
    for (const name of Object.keys(value.properties ?? {})) names.add(name);
  }
  if ("in" in value && "name" in value && typeof value.name === "string") names.add(value.name);
  for (const part of Object.values(value)) collect(part, names);
}
