import type { TestApp } from "../support/app.ts";

/** A JSON schema as the OpenAPI document holds it. */
export interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
}

/** An operation as the OpenAPI document names it. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly tags: readonly string[];
  /** Null where the document tells of no body. */
  readonly body: Schema | null;
  /** The names of its query parameters. */
  readonly query: readonly string[];
}

/** The OpenAPI document as far as it tells of operations. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>;
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema: Schema }>>;
  };
}

/** Returns the document that the server itself makes. */
export async function documentOf({ url }: Pick<TestApp, "url">): Promise<Document> {
  const response = await fetch(`${url}/openapi.json`);
  // As OpenAPI 3.1 shapes it.
  return (await response.json()) as Document;
}

/** Returns every operation that the document names. */
export function operationsOf({ paths }: Document): readonly Operation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(
      ([method, { operationId, tags, parameters = [], requestBody }]) => ({
        id: operationId,
        method: method.toUpperCase(),
        path,
        tags,
        body: requestBody?.content["application/json"]?.schema ?? null,
        query: parameters.filter((parameter) => parameter.in === "query").map(({ name }) => name),
      }),
    ),
  );
}

/** Returns the operations under a path that the server itself names, by their ids. */
export async function documented(
  app: Pick<TestApp, "url">,
  under: string,
): Promise<ReadonlyMap<string, Operation>> {
  const operations = operationsOf(await documentOf(app));
  const found = operations.filter(({ path }) => path.startsWith(under));
  return new Map(found.map((operation) => [operation.id, operation]));
}

/** A request to an operation. */
export interface Asking {
  readonly operation: Operation;
  /** Values of the path's parameters, in order. */
  readonly ids: readonly string[];
  readonly body: unknown;
  readonly query?: Readonly<Record<string, string>>;
}

/** An answer, of a stream its head alone. */
export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Asks once, with the headers by which somebody is known. */
export async function ask(
  { url }: Pick<TestApp, "url">,
  credentials: Readonly<Record<string, string>>,
  asking: Asking,
): Promise<Answered> {
  const { operation, body, query = {} } = asking;
  const ids = [...asking.ids];
  const path = operation.path.replaceAll(/\{[^}]+\}/g, () => ids.shift() ?? "missing");
  const headers: Record<string, string> = { ...credentials };
  const init: RequestInit = { method: operation.method, headers };
  if (body !== undefined) {
    headers["content-type"] = "application/json";
    init.body = JSON.stringify(body);
  }
  const response = await fetch(`${url}${path}?${new URLSearchParams(query).toString()}`, init);
  const head = { status: response.status, headers: response.headers };
  if (response.headers.get("content-type")?.startsWith("text/event-stream") === true) {
    await response.body?.cancel();
    return { ...head, text: "" };
  }
  return { ...head, text: await response.text() };
}
