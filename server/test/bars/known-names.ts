import type { Database } from "../../src/database/database.ts";

/** A JSON schema as the OpenAPI document holds it. */
export interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
}

/** One operation of the OpenAPI document. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** Null where the document tells of no body. */
  readonly body: Schema | null;
  /** The names of its query parameters. */
  readonly query: readonly string[];
}

/** The OpenAPI document as far as the attack reads it. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
}

/** Returns every operation that the document names. */
export function operationsOf({ paths }: Document): readonly Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, parameters = [], requestBody }]) => ({
      id: operationId,
      method: method.toUpperCase(),
      path,
      body: requestBody?.content["application/json"]?.schema ?? null,
      query: parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name),
    })),
  );
}

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
