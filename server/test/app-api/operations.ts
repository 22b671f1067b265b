import type { TestApp } from "../support/app.ts";

/** A JSON schema in the OpenAPI document. */
export interface Schema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
}

/** An operation of the OpenAPI document. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly tags: readonly string[];
  /** Schema of the request body; null if the operation takes none. */
  readonly body: Schema | null;
  /** The names of the operation's query parameters. */
  readonly query: readonly string[];
}

/** The OpenAPI document, with only the fields used here. */
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

/** Fetches the OpenAPI document from the server. */
export async function fetchDocument({ url }: Pick<TestApp, "url">): Promise<Document> {
  const response = await fetch(`${url}/openapi.json`);
  // OpenAPI 3.1 defines this shape.
  return (await response.json()) as Document;
}

/** Lists the operations of the document. */
export function listOperations({ paths }: Document): readonly Operation[] {
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

/** Fetches the server's operations below a path, by id. */
export async function readOperations(
  app: Pick<TestApp, "url">,
  pathPrefix: string,
): Promise<ReadonlyMap<string, Operation>> {
  const operations = listOperations(await fetchDocument(app));
  const matching = operations.filter(({ path }) => path.startsWith(pathPrefix));
  return new Map(matching.map((operation) => [operation.id, operation]));
}

/** A request to an operation. */
export interface OperationRequest {
  readonly operation: Operation;
  /** The values of the path's parameters, in order. */
  readonly ids: readonly string[];
  readonly body: unknown;
  readonly query?: Readonly<Record<string, string>>;
}

/** A response; of a stream, only the status and headers. */
export interface OperationResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Sends a request with the given credentials. */
export async function requestOperation(
  { url }: Pick<TestApp, "url">,
  credentials: Readonly<Record<string, string>>,
  request: OperationRequest,
): Promise<OperationResponse> {
  const { operation, body, query = {} } = request;
  const ids = [...request.ids];
  const path = operation.path.replaceAll(/\{[^}]+\}/g, () => ids.shift() ?? "missing");
  const headers: Record<string, string> = { ...credentials };
  const init: RequestInit = { method: operation.method, headers };
  if (body !== undefined) {
    headers["content-type"] = "application/json";
    init.body = JSON.stringify(body);
  }
  const response = await fetch(`${url}${path}?${new URLSearchParams(query).toString()}`, init);
  const statusAndHeaders = { status: response.status, headers: response.headers };
  if (response.headers.get("content-type")?.startsWith("text/event-stream") === true) {
    await response.body?.cancel();
    return { ...statusAndHeaders, text: "" };
  }
  return { ...statusAndHeaders, text: await response.text() };
}
