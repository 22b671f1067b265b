import { isRedirect, parseBody, parseError, readAnswer, redirectedError } from "./answer.ts";
import type { Answer } from "./answer.ts";
import type { Answers } from "./answers.ts";
import { TocsinConnectionError, TocsinError } from "./errors.ts";
import type { SchemeFault } from "./errors.ts";
import { redactCause } from "./redact.ts";
import { toRequest } from "./request.ts";
import type { Call } from "./request.ts";
import { detectSchemeFault } from "./scheme-fault.ts";
import { requestContext } from "./server.ts";
import type { Server } from "./server.ts";
import { backoffMs, wait } from "./wait.ts";

/** A longer `Retry-After` is left to the caller, who knows better what to do in the meantime. */
const RETRY_AFTER_LIMIT_MS = 60_000;
const RETRY_BACKOFF = { baseMs: 250, limitMs: 8_000 };

/** Returns the headers and the parsed body of a successful response. */
export async function fetchJson<Operation extends keyof Answers>(
  server: Server,
  call: Call<Operation>,
): Promise<{ readonly headers: Headers; readonly body: Answers[Operation] }> {
  const answer = await attemptWithRetries(server, call);
  const body = parseBody(answer, requestContext(server, call));
  // The contract promises this type; a client does not validate the JSON of its server.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { headers: answer.headers, body: body as Answers[Operation] };
}

/** Resolves once an operation without a response body has succeeded. */
export async function execute(server: Server, call: Call): Promise<void> {
  await attemptWithRetries(server, call);
}

/** Returns a successful response with an unread body; only `signal` limits the time to read it. */
export async function open(server: Server, call: Call, signal: AbortSignal): Promise<Response> {
  const { url, init } = toRequest(server, call);
  const { protocol } = new URL(url);
  const response = await withConnectionErrors(server, call, {
    step: () => server.fetch(url, { ...init, signal }),
    detectSchemeFault: (error) => detectSchemeFault(error, protocol),
  });
  server.session.take(response.headers);
  if (response.ok) return response;
  const context = requestContext(server, call);
  if (isRedirect(response)) {
    await response.body?.cancel();
    throw redirectedError(response, { context, url });
  }
  throw parseError(
    await withConnectionErrors(server, call, { step: () => readAnswer(response) }),
    context,
  );
}

/** A step over the network. After the first bytes of a response, its scheme is certain. */
interface NetworkStep<T> {
  readonly step: () => Promise<T>;
  readonly detectSchemeFault?: (error: unknown) => SchemeFault | null;
}

/**
 * Returns the result of a step over the network. If the step fails, throws the reason of the call's signal if that
 * aborted, else a TocsinConnectionError without secrets.
 */
export async function withConnectionErrors<T>(
  server: Server,
  call: Call,
  { step, detectSchemeFault }: NetworkStep<T>,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    call.signal?.throwIfAborted();
    const { operation, host, secrets } = requestContext(server, call);
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

async function attemptWithRetries(server: Server, call: Call): Promise<Answer> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await attempt(server, call);
    } catch (error) {
      if (failures >= server.retries || !isRetryable(call)) throw error;
      const waitMs = retryDelayMs(error, failures);
      if (waitMs === null) throw error;
      await wait(waitMs, call.signal);
    }
  }
}

/** A GET that sends a notification has an idempotency key whenever retries are on. */
function isRetryable({ method, headers }: Call): boolean {
  return method === "GET" || headers?.["idempotency-key"] !== undefined;
}

function retryDelayMs(error: unknown, failures: number): number | null {
  if (error instanceof TocsinConnectionError) {
    return error.schemeFault === "not_https" ? null : backoffMs(failures, RETRY_BACKOFF);
  }
  if (!(error instanceof TocsinError)) return null;
  if (error.status !== 429 && error.status < 500) return null;
  const waitMs = error.retryAfterMs ?? backoffMs(failures, RETRY_BACKOFF);
  return waitMs <= RETRY_AFTER_LIMIT_MS ? waitMs : null;
}

async function attempt(server: Server, call: Call): Promise<Answer> {
  const timeout = AbortSignal.timeout(server.timeoutMs);
  const signal = call.signal === undefined ? timeout : AbortSignal.any([timeout, call.signal]);
  const response = await open(server, call, signal);
  return withConnectionErrors(server, call, { step: () => readAnswer(response) });
}
