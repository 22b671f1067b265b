import { isRedirect, parseBody, parseError, readAnswer, redirectedError } from "./answer.ts";
import type { Answer } from "./answer.ts";
import type { Answers } from "./answers.ts";
import { TocsinConnectionError, TocsinError } from "./errors.ts";
import type { SchemeFault } from "./errors.ts";
import { redactCause } from "./redact.ts";
import { requestOf } from "./request.ts";
import type { Call } from "./request.ts";
import { schemeFaultOf } from "./scheme-fault.ts";
import { askedOf } from "./server.ts";
import type { Server } from "./server.ts";
import { backoffMs, wait } from "./wait.ts";

/** A longer `Retry-After` is left to the caller, who knows better what to do meanwhile. */
const RETRY_AFTER_LIMIT_MS = 60_000;
const RETRY_BACKOFF = { baseMs: 250, limitMs: 8_000 };

/** Returns the headers and the parsed body of a successful answer. */
export async function askFor<Operation extends keyof Answers>(
  server: Server,
  call: Call<Operation>,
): Promise<{ readonly headers: Headers; readonly body: Answers[Operation] }> {
  const answer = await askRepeatedly(server, call);
  const body = parseBody(answer, askedOf(server, call));
  // The contract's promise: a client does not check what its server says.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { headers: answer.headers, body: body as Answers[Operation] };
}

/** Resolves once an operation without an answer to read succeeded. */
export async function askToDo(server: Server, call: Call): Promise<void> {
  await askRepeatedly(server, call);
}

/** Returns a successful answer with an unread body; until it is read, only `signal` ends it. */
export async function open(server: Server, call: Call, signal: AbortSignal): Promise<Response> {
  const { url, init } = requestOf(server, call);
  const { protocol } = new URL(url);
  const response = await connected(server, call, {
    step: () => server.fetch(url, { ...init, signal }),
    schemeFaultOf: (error) => schemeFaultOf(error, protocol),
  });
  server.session.take(response.headers);
  if (response.ok) return response;
  const asked = askedOf(server, call);
  if (isRedirect(response)) {
    await response.body?.cancel();
    throw redirectedError(response, { asked, url });
  }
  throw parseError(await connected(server, call, { step: () => readAnswer(response) }), asked);
}

/** A step over the network; after the first bytes of an answer, its scheme is certain. */
interface NetworkStep<T> {
  readonly step: () => Promise<T>;
  readonly schemeFaultOf?: (error: unknown) => SchemeFault | null;
}

/**
 * Returns the result of a step over the network. Throws the reason of the call's signal if that ended it, else a
 * TocsinConnectionError that contains no secret.
 */
export async function connected<T>(
  server: Server,
  call: Call,
  { step, schemeFaultOf }: NetworkStep<T>,
): Promise<T> {
  try {
    return await step();
  } catch (error) {
    call.signal?.throwIfAborted();
    const { operation, host, secrets } = askedOf(server, call);
    const isTimeout = error instanceof Error && error.name === "TimeoutError";
    throw new TocsinConnectionError({
      operation,
      host,
      isTimeout,
      schemeFault: isTimeout ? null : (schemeFaultOf?.(error) ?? null),
      cause: redactCause(error, secrets),
    });
  }
}

async function askRepeatedly(server: Server, call: Call): Promise<Answer> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await ask(server, call);
    } catch (error) {
      if (failures >= server.retries || !isRepeatable(call)) throw error;
      const waitMs = repeatAfterMs(error, failures);
      if (waitMs === null) throw error;
      await wait(waitMs, call.signal);
    }
  }
}

/** A GET that sends has an idempotency key whenever retries are on. */
function isRepeatable({ method, headers }: Call): boolean {
  return method === "GET" || headers?.["idempotency-key"] !== undefined;
}

function repeatAfterMs(error: unknown, failures: number): number | null {
  if (error instanceof TocsinConnectionError) {
    return error.schemeFault === "not_https" ? null : backoffMs(failures, RETRY_BACKOFF);
  }
  if (!(error instanceof TocsinError)) return null;
  if (error.status !== 429 && error.status < 500) return null;
  const waitMs = error.retryAfterMs ?? backoffMs(failures, RETRY_BACKOFF);
  return waitMs <= RETRY_AFTER_LIMIT_MS ? waitMs : null;
}

async function ask(server: Server, call: Call): Promise<Answer> {
  const timeout = AbortSignal.timeout(server.timeoutMs);
  const signal = call.signal === undefined ? timeout : AbortSignal.any([timeout, call.signal]);
  const response = await open(server, call, signal);
  return connected(server, call, { step: () => readAnswer(response) });
}
