import { TocsinConnectionError, TocsinError } from "./errors.ts";
import { EventStreamParser, type ServerSentEvent } from "./event-stream.ts";
import type { LiveEvent } from "./feed.ts";
import { withConnectionErrors, openResponse } from "./http.ts";
import { IdleWatch } from "./idle-watch.ts";
import type { Call, CallOptions } from "./request.ts";
import { createErrorContext, type Server } from "./server.ts";
import { getRandomBackoffMs, wait } from "./wait.ts";

const IDLE_TIMEOUT_DEFAULT_MS = 60_000;
const RETRY_DEFAULT_MS = 2_000;
const RETRY_MIN_MS = 100;
const RETRY_MAX_MS = 60_000;
const LIVE_EVENT_KINDS: ReadonlySet<string> = new Set<LiveEvent["kind"]>([
  "notification",
  "read",
  "delivery",
  "device",
  "incident",
  "prompt",
]);

/** The start, the timeout and the callbacks of the live stream. */
export interface LiveOptions extends CallOptions {
  /** The id of the last event received; the stream begins with the events after it. */
  readonly lastEventId?: string | null;
  /** The stream counts as lost after this time without an event or comment; 60,000 by default. */
  readonly idleTimeoutMs?: number;
  /** Called whenever the stream opens, including the first time. */
  readonly onOpen?: () => void;
  /** Called whenever an open stream is lost, before it reconnects. */
  readonly onLost?: () => void;
}

/**
 * Yields live events until the signal aborts or the server ends the stream permanently (204). Reconnects after the last
 * event whenever the stream is lost. Throws if the first connection fails, and later only for errors that no retry can
 * fix.
 */
export async function* streamLiveEvents(
  server: Server,
  options: LiveOptions,
): AsyncGenerator<LiveEvent, void> {
  const { signal, idleTimeoutMs = IDLE_TIMEOUT_DEFAULT_MS, onOpen, onLost } = options;
  const position = { lastEventId: options.lastEventId ?? "", retryMs: RETRY_DEFAULT_MS };
  let wasOpen = false;
  let failureCount = 0;
  while (!isAborted(signal)) {
    const watch = new IdleWatch(idleTimeoutMs, signal);
    let requestedWaitMs = 0;
    let isOpen = false;
    try {
      const call = createLiveCall(position.lastEventId, signal);
      const response = await watch.withTimeout(() => openResponse(server, call, watch.signal));
      if (response.status === 204) return;
      isOpen = wasOpen = true;
      failureCount = 0;
      yield* readEvents({ server, call, watch, position, onOpen }, response);
    } catch (error) {
      if (isAborted(signal)) return;
      if (!wasOpen || !isTemporaryError(error)) throw error;
      failureCount += 1;
      if (error instanceof TocsinError) requestedWaitMs = error.retryAfterMs ?? 0;
    } finally {
      watch.stop();
    }
    if (isOpen) onLost?.();
    await waitToReconnect(
      { minWaitMs: Math.max(requestedWaitMs, position.retryMs), failureCount },
      signal,
    );
  }
}

/** The position at which the stream resumes. */
interface StreamPosition {
  lastEventId: string;
  retryMs: number;
}

interface StreamConnection {
  readonly server: Server;
  readonly call: Call;
  readonly watch: IdleWatch;
  readonly position: StreamPosition;
  readonly onOpen: (() => void) | undefined;
}

async function* readEvents(
  connection: StreamConnection,
  response: Response,
): AsyncGenerator<LiveEvent> {
  const { server, call, watch, position } = connection;
  if (response.body === null || !isEventStream(response)) {
    throw createUnexpectedResponseError(connection, response.status);
  }
  connection.onOpen?.();
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const parser = new EventStreamParser(position.lastEventId);
  for (;;) {
    const { done, value } = await withConnectionErrors(server, call, {
      run: () => watch.withTimeout(() => reader.read()),
    });
    if (done) return;
    const events = parser.push(decoder.decode(value, { stream: true }));
    for (const event of events) {
      const liveEvent = parseEvent(connection, event);
      if (liveEvent !== null) yield liveEvent;
    }
    position.lastEventId = parser.lastEventId;
    position.retryMs = Math.max(RETRY_MIN_MS, parser.retryMs ?? position.retryMs);
  }
}

/** Returns null for an unknown event, which a newer server may send. */
function parseEvent(
  connection: StreamConnection,
  { name, id, data }: ServerSentEvent,
): LiveEvent | null {
  if (!LIVE_EVENT_KINDS.has(name)) return null;
  try {
    const event: unknown = { kind: name, id: id === "" ? null : id, data: JSON.parse(data) };
    // The contract promises this type, as for every other response: the name determines the shape of the data.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return event as LiveEvent;
  } catch {
    throw createUnexpectedResponseError(connection, 200);
  }
}

function createLiveCall(lastEventId: string, signal: AbortSignal | undefined): Call {
  return {
    operation: "live",
    method: "GET",
    path: ["api", "app", "v1", "live"],
    auth: "account",
    headers: {
      accept: "text/event-stream",
      ...(lastEventId === "" ? {} : { "last-event-id": lastEventId }),
    },
    signal,
  };
}

function isEventStream(response: Response): boolean {
  return /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
}

function createUnexpectedResponseError(
  { server, call }: StreamConnection,
  status: number,
): TocsinError {
  const { operation, host } = createErrorContext(server, call);
  return new TocsinError({
    status,
    code: "unexpected_answer",
    message: `${operation}: ${host} answered with something other than the live stream`,
    field: null,
    requestId: null,
    retryAfterMs: null,
    body: null,
  });
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

function isTemporaryError(error: unknown): boolean {
  if (error instanceof TocsinConnectionError) return true;
  return error instanceof TocsinError && (error.status === 429 || error.status >= 500);
}

/** Waits for the delay plus a random one, so that the clients of a restarted server do not all reconnect at once. */
async function waitToReconnect(
  { minWaitMs, failureCount }: { readonly minWaitMs: number; readonly failureCount: number },
  signal: AbortSignal | undefined,
): Promise<void> {
  const extraMs = getRandomBackoffMs(failureCount, { baseMs: minWaitMs, maxMs: RETRY_MAX_MS });
  try {
    await wait(Math.min(minWaitMs, RETRY_MAX_MS) + extraMs, signal);
  } catch (error) {
    if (!isAborted(signal)) throw error;
  }
}
