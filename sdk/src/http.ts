import {
  isRedirect,
  parseBody,
  parseError,
  readResponse,
  createRedirectError,
  type BufferedResponse,
} from "./response.ts";
import type { ResponseBodies } from "./response-bodies.ts";
import { TocsinConnectionError, type SchemeFault } from "./errors.ts";
import { redactCause } from "./redact.ts";
import { createRequest, type Call } from "./request.ts";
import { retry } from "./retry.ts";
import { detectSchemeFault } from "./scheme-fault.ts";
import { createErrorContext, type Server } from "./server.ts";

/** Returns the headers and the parsed body of a successful response. */
export async function fetchJson<Operation extends keyof ResponseBodies>(
  server: Server,
  call: Call<Operation>,
): Promise<{ readonly headers: Headers; readonly body: ResponseBodies[Operation] }> {
  const response = await retry(server, call, () => fetchOnce(server, call));
  const body = parseBody(response, createErrorContext(server, call));
  // The contract promises this type; a client does not validate the JSON of its server.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { headers: response.headers, body: body as ResponseBodies[Operation] };
}

/** Resolves once an operation without a response body has succeeded. */
export async function execute(server: Server, call: Call): Promise<void> {
  await retry(server, call, () => fetchOnce(server, call));
}

/** Returns a successful response with an unread body; only `signal` limits the time to read it. */
export async function openResponse(
  server: Server,
  call: Call,
  signal: AbortSignal,
): Promise<Response> {
  const { url, init } = createRequest(server, call);
  const { protocol } = new URL(url);
  const response = await withConnectionErrors(server, call, {
    run: () => server.fetch(url, { ...init, signal }),
    detectSchemeFault: (error) => detectSchemeFault(error, protocol),
  });
  server.cookieJar.take(response.headers);
  if (response.ok) return response;
  const context = createErrorContext(server, call);
  if (isRedirect(response)) {
    await response.body?.cancel();
    throw createRedirectError(response, { context, url });
  }
  throw parseError(
    await withConnectionErrors(server, call, { run: () => readResponse(response) }),
    context,
  );
}

/** A task over the network. `detectSchemeFault` is absent once the first bytes of a response have arrived. */
interface NetworkTask<T> {
  readonly run: () => Promise<T>;
  readonly detectSchemeFault?: (error: unknown) => SchemeFault | null;
}

/**
 * Returns the result of a task over the network. If the task fails, throws the reason of the call's signal if that
 * aborted, else a TocsinConnectionError without secrets.
 */
export async function withConnectionErrors<T>(
  server: Server,
  call: Call,
  { run, detectSchemeFault }: NetworkTask<T>,
): Promise<T> {
  try {
    return await run();
  } catch (error) {
    call.signal?.throwIfAborted();
    const { operation, host, secrets } = createErrorContext(server, call);
    const isTimeout = error instanceof Error && error.name === "TimeoutError";
    throw new TocsinConnectionError({
      operation,
      host,
      isTimeout,
      schemeFault: isTimeout ? null : (detectSchemeFault?.(error) ?? null),
      cause: redactCause(error, secrets),
    });
  }
}

async function fetchOnce(server: Server, call: Call): Promise<BufferedResponse> {
  const timeout = AbortSignal.timeout(server.timeoutMs + (call.waitMs ?? 0));
  const signal = call.signal === undefined ? timeout : AbortSignal.any([timeout, call.signal]);
  const response = await openResponse(server, call, signal);
  return withConnectionErrors(server, call, { run: () => readResponse(response) });
}
