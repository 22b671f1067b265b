import type { LiveEvent } from "@tocsin/sdk";
import { createWatchedClient } from "../client.ts";

/** Delay before the stream is reopened after a failure. */
const RETRY_DELAY_MS = 10_000;

export interface LiveListener {
  readonly signal: AbortSignal;
  /** Called each time the stream opens. A new stream does not replay earlier events. */
  readonly onOpen: () => void;
  /** Called when the stream is lost or fails to open. It is retried. */
  readonly onLost: () => void;
  readonly onEvent: (event: LiveEvent) => void;
}

/** Subscribes to the live stream until the signal aborts. */
export async function subscribeToEvents(listener: LiveListener): Promise<void> {
  const { signal, onLost, onOpen, onEvent } = listener;
  const client = createWatchedClient({ onRequest: onLost, onResponse: onOpen });
  addEventListener("offline", onLost, { signal });
  while (!signal.aborted) {
    const stream = new AbortController();
    // After a network failure, a broken stream can stay open for a long time without an error.
    addEventListener("online", () => stream.abort(), { once: true, signal: stream.signal });
    const end = AbortSignal.any([signal, stream.signal]);
    try {
      for await (const event of client.live({ signal: end })) onEvent(event);
    } catch {
      // The client opens the sign-in page after a 401.
    }
    if (!end.aborted) {
      onLost();
      await delay(end);
    }
    stream.abort();
  }
}

/** Resolves after the retry delay, or when the signal aborts. */
function delay(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, RETRY_DELAY_MS);
    signal.addEventListener("abort", done);
  });
}
