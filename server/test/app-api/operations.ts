import type { Principal, Stage } from "./stage.ts";

/** How an operation is called. */
export interface Operation {
  readonly method: string;
  readonly path: string;
}

/** The operations of the app API that the server itself names, by their ids. */
export async function documented({
  app,
}: Pick<Stage, "app">): Promise<ReadonlyMap<string, Operation>> {
  const response = await fetch(`${app.url}/openapi.json`);
  // As OpenAPI 3.1 shapes it.
  const document = (await response.json()) as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const operations = new Map<string, Operation>();
  for (const [path, methods] of Object.entries(document.paths)) {
    if (!path.startsWith("/api/app/v1/")) continue;
    for (const [method, { operationId }] of Object.entries(methods)) {
      operations.set(operationId, { method: method.toUpperCase(), path });
    }
  }
  return operations;
}

/** One call: what stands in the path in its order, and the body. */
export interface Asking {
  readonly operation: Operation;
  readonly ids: readonly string[];
  readonly body: unknown;
}

/** Asks once; what differs from request to request is taken out of the answer. */
export async function ask({ app, credentials }: Stage, who: Principal, asking: Asking) {
  const { operation, body } = asking;
  const ids = [...asking.ids];
  const path = operation.path.replaceAll(/\{[^}]+\}/g, () => ids.shift() ?? "missing");
  const headers: Record<string, string> = { ...credentials[who] };
  const init: RequestInit = { method: operation.method, headers };
  if (body !== undefined) {
    headers["content-type"] = "application/json";
    init.body = JSON.stringify(body);
  }
  const response = await fetch(`${app.url}${path}`, init);
  const { status } = response;
  if (response.headers.get("content-type")?.startsWith("text/event-stream") === true) {
    await response.body?.cancel();
    return { status, text: "" };
  }
  const text = await response.text();
  return { status, text: text.replace(/"requestId":"[^"]+"/, '"requestId":""') };
}
