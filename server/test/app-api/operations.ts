import type { TestApp } from "../support/app.ts";

/** An operation as the OpenAPI document names it. */
export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly tags: readonly string[];
  /** The names of what stands in its query. */
  readonly query: ReadonlySet<string>;
}

/** Returns the operations under a path that the server itself names, by their ids. */
export async function documented(
  { url }: Pick<TestApp, "url">,
  under: string,
): Promise<ReadonlyMap<string, Operation>> {
  const response = await fetch(`${url}/openapi.json`);
  // As OpenAPI 3.1 shapes it.
  const document = (await response.json()) as {
    paths: Record<
      string,
      Record<
        string,
        {
          operationId: string;
          tags: readonly string[];
          parameters?: readonly { readonly in: string; readonly name: string }[];
        }
      >
    >;
  };
  const operations = new Map<string, Operation>();
  for (const [path, methods] of Object.entries(document.paths)) {
    if (!path.startsWith(under)) continue;
    for (const [method, { operationId, tags, parameters = [] }] of Object.entries(methods)) {
      const inQuery = parameters.filter((parameter) => parameter.in === "query");
      const query = new Set(inQuery.map(({ name }) => name));
      operations.set(operationId, { method: method.toUpperCase(), path, tags, query });
    }
  }
  return operations;
}

/** What is asked of an operation. */
export interface Asking {
  readonly operation: Operation;
  /** What stands in the path, in its order. */
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
