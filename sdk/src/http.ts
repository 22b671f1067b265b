import {
  isRedirect,
  parseBody,
  parseError,
  readResponse,
  createRedirectError,
  type BufferedResponse,
} from "./response.ts";
import type { ResponseBodies } from "./response-bodies.ts";
import { TocsinConnectionError, TocsinError, type SchemeFault } from "./errors.ts";
import { redactCause } from "./redact.ts";
import { createRequest, type Call } from "./request.ts";
import { detectSchemeFault } from "./scheme-fault.ts";
import { createErrorContext, type Server } from "./server.ts";
import { getRandomBackoffMs, wait } from "./wait.ts";

/** A longer `Retry-After` is left to the caller, who knows better what to do in the meantime. */
const RETRY_AFTER_MAX_MS = 60_000;
const RETRY_BACKOFF = { baseMs: 250, maxMs: 8_000 };

/** Returns the headers and the parsed body of a successful response. */
export async function fetchJson<Operation extends keyof ResponseBodies>(
  server: Server,
  call: Call<Operation>,
): Promise<{ readonly headers: Headers; readonly body: ResponseBodies[Operation] }> {
  const response = await fetchWithRetries(server, call);
  const body = parseBody(response, createErrorContext(server, call));
  // The contract promises this type; a client does not validate the JSON of its server.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { headers: response.headers, body: body as ResponseBodies[Operation] };
}

/** Resolves once an operation without a response body has succeeded. */
export async function execute(server: Server, call: Call): Promise<void> {
  await fetchWithRetries(server, call);
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

/** A task over the network. It detects no scheme fault once the first bytes of a response have arrived. */
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

async function fetchWithRetries(server: Server, call: Call): Promise<BufferedResponse> {
  for (let failureCount = 0; ; failureCount += 1) {
    try {
      return await fetchOnce(server, call);
    } catch (error) {
      if (failureCount >= server.retries || !isRetryable(call)) throw error;
      const waitMs = getRetryDelayMs(error, failureCount);
      if (waitMs === null) throw error;
      await wait(waitMs, call.signal);
    }
  }
}

/** A GET that sends a notification has an idempotency key whenever retries are on. */
function isRetryable({ method, headers }: Call): boolean {
  return method === "GET" || headers?.["idempotency-key"] !== undefined;
}

function getRetryDelayMs(error: unknown, failureCount: number): number | null {
  if (error instanceof TocsinConnectionError) {
    return error.schemeFault === "not_https"
      ? null
      : getRandomBackoffMs(failureCount, RETRY_BACKOFF);
  }
  if (!(error instanceof TocsinError)) return null;
  if (error.status !== 429 && error.status < 500) return null;
  const waitMs = error.retryAfterMs ?? getRandomBackoffMs(failureCount, RETRY_BACKOFF);
  return waitMs <= RETRY_AFTER_MAX_MS ? waitMs : null;
}

async function fetchOnce(server: Server, call: Call): Promise<BufferedResponse> {
  const timeout = AbortSignal.timeout(server.timeoutMs + (call.waitMs ?? 0));
  const signal = call.signal === undefined ? timeout : AbortSignal.any([timeout, call.signal]);
  const response = await openResponse(server, call, signal);
  return withConnectionErrors(server, call, { run: () => readResponse(response) });
}
