import { TocsinConnectionError, TocsinError } from "./errors.ts";
import { EventStreamParser } from "./event-stream.ts";
import type { ServerSentEvent } from "./event-stream.ts";
import type { LiveEvent } from "./feed.ts";
import { withConnectionErrors, open } from "./http.ts";
import { IdleWatch } from "./idle-watch.ts";
import type { Call, CallOptions } from "./request.ts";
import { requestContext } from "./server.ts";
import type { Server } from "./server.ts";
import { backoffMs, wait } from "./wait.ts";

const IDLE_TIMEOUT_DEFAULT_MS = 60_000;
const RETRY_DEFAULT_MS = 2_000;
const RETRY_MIN_MS = 100;
const RETRY_LIMIT_MS = 60_000;
const KINDS: ReadonlySet<string> = new Set<LiveEvent["kind"]>([
  "notification",
  "read",
  "delivery",
  "device",
]);

/** Options of the live stream. */
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
export async function* live(server: Server, options: LiveOptions): AsyncGenerator<LiveEvent, void> {
  const { signal, idleTimeoutMs = IDLE_TIMEOUT_DEFAULT_MS, onOpen, onLost } = options;
  const position = { lastEventId: options.lastEventId ?? "", retryMs: RETRY_DEFAULT_MS };
  let wasOpen = false;
  let failures = 0;
  while (!isAborted(signal)) {
    const watch = new IdleWatch(idleTimeoutMs, signal);
    let requestedWaitMs = 0;
    let isOpen = false;
    try {
      const call = liveCall(position.lastEventId, signal);
      const response = await watch.limit(() => open(server, call, watch.signal));
      if (response.status === 204) return;
      isOpen = wasOpen = true;
      failures = 0;
      yield* readEvents({ server, call, watch, position, onOpen }, response);
    } catch (error) {
      if (isAborted(signal)) return;
      if (!wasOpen || !isTemporary(error)) throw error;
      failures += 1;
      if (error instanceof TocsinError) requestedWaitMs = error.retryAfterMs ?? 0;
    } finally {
      watch.stop();
    }
    if (isOpen) onLost?.();
    await pause({ minWaitMs: Math.max(requestedWaitMs, position.retryMs), failures }, signal);
  }
}

/** The position at which the stream resumes. */
interface Position {
  lastEventId: string;
  retryMs: number;
}

interface Connection {
  readonly server: Server;
  readonly call: Call;
  readonly watch: IdleWatch;
  readonly position: Position;
  readonly onOpen: (() => void) | undefined;
}

async function* readEvents(connection: Connection, response: Response): AsyncGenerator<LiveEvent> {
  const { server, call, watch, position } = connection;
  if (response.body === null || !isEventStream(response)) {
    throw unexpectedAnswer(connection, response.status);
  }
  connection.onOpen?.();
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  const parser = new EventStreamParser(position.lastEventId);
  for (;;) {
    const { done, value } = await withConnectionErrors(server, call, {
      step: () => watch.limit(() => reader.read()),
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
function parseEvent(connection: Connection, { name, id, data }: ServerSentEvent): LiveEvent | null {
  if (!KINDS.has(name)) return null;
  try {
    const event: unknown = { kind: name, id: id === "" ? null : id, data: JSON.parse(data) };
    // The contract promises this type, as for every other response: the name determines the shape of the data.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    return event as LiveEvent;
  } catch {
    throw unexpectedAnswer(connection, 200);
  }
}

function liveCall(lastEventId: string, signal: AbortSignal | undefined): Call {
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

function unexpectedAnswer({ server, call }: Connection, status: number): TocsinError {
  const { operation, host } = requestContext(server, call);
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

function isTemporary(error: unknown): boolean {
  if (error instanceof TocsinConnectionError) return true;
  return error instanceof TocsinError && (error.status === 429 || error.status >= 500);
}

/** Adds a random delay, so that the clients of a restarted server do not all reconnect at the same time. */
async function pause(
  { minWaitMs, failures }: { readonly minWaitMs: number; readonly failures: number },
  signal: AbortSignal | undefined,
): Promise<void> {
  const extraMs = backoffMs(failures, { baseMs: minWaitMs, limitMs: RETRY_LIMIT_MS });
  try {
    await wait(Math.min(minWaitMs, RETRY_LIMIT_MS) + extraMs, signal);
  } catch (error) {
    if (!isAborted(signal)) throw error;
  }
}
