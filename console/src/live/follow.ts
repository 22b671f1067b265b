import type { LiveEvent } from "@tocsin/sdk";
import { createWatchedClient } from "../client.ts";

/** How long to wait where the stream could not be opened at all. */
const RETRY_MS = 10_000;

export interface Follower {
  readonly signal: AbortSignal;
  /** The stream is open (again): what happened before it is not told. */
  readonly onOpen: () => void;
  /** The stream was lost, or could not be opened, and is tried again. */
  readonly onLost: () => void;
  readonly onEvent: (event: LiveEvent) => void;
}

/** Follows the live stream until the signal aborts. */
export async function follow(follower: Follower): Promise<void> {
  const { signal, onLost, onOpen, onEvent } = follower;
  const client = createWatchedClient({ onAsk: onLost, onAnswer: onOpen });
  addEventListener("offline", onLost, { signal });
  while (!signal.aborted) {
    const stream = new AbortController();
    // A stream that a lost network cut says nothing of it for a long time.
    addEventListener("online", () => stream.abort(), { once: true, signal: stream.signal });
    const ends = AbortSignal.any([signal, stream.signal]);
    try {
      for await (const event of client.live({ signal: ends })) onEvent(event);
    } catch {
      // Whoever is signed out is led away by the client.
    }
    if (!ends.aborted) {
      onLost();
      await pause(ends);
    }
    stream.abort();
  }
}

/** Ends early when the signal aborts. */
function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, RETRY_MS);
    signal.addEventListener("abort", done);
  });
}
