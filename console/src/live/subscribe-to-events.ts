import type { LiveEvent } from "@tocsin/sdk";
import { createClientWithListeners } from "../client.ts";

/** Delay before the stream is reopened after a failure. */
const RETRY_DELAY_MS = 10_000;

interface LiveEventsOptions {
  readonly signal: AbortSignal;
  /** Called each time the stream opens. A new stream does not replay earlier events. */
  readonly onOpen: () => void;
  /** Called before each attempt to open the stream, when it ends, and when the browser goes offline. */
  readonly onLost: () => void;
  readonly onEvent: (event: LiveEvent) => void;
}

/**
 * Subscribes to the live stream until the signal aborts. Reopens the stream after a delay, or when the browser is
 * online again.
 */
export async function subscribeToEvents(options: LiveEventsOptions): Promise<void> {
  const { signal, onLost, onOpen, onEvent } = options;
  const client = createClientWithListeners({ onRequest: onLost, onResponse: onOpen });
  addEventListener("offline", onLost, { signal });
  while (!signal.aborted) {
    const streamController = new AbortController();
    // After a network failure, a broken stream can stay open for a long time without an error.
    addEventListener("online", () => streamController.abort(), {
      once: true,
      signal: streamController.signal,
    });
    const endSignal = AbortSignal.any([signal, streamController.signal]);
    try {
      for await (const event of client.live({ signal: endSignal })) onEvent(event);
    } catch {
      // The loop retries. After a 401, the console also opens the sign-in page.
    }
    if (!endSignal.aborted) {
      onLost();
      await waitForRetry(endSignal);
    }
    streamController.abort();
  }
}

/** Resolves after the retry delay, or when the signal aborts. */
function waitForRetry(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, RETRY_DELAY_MS);
    signal.addEventListener("abort", finish);
  });
}
