import type { LiveEvent } from "@tocsin/sdk";
import { createWatchedClient } from "../client.ts";

/** Wait before the next try if the stream could not be opened at all. */
const RETRY_MS = 10_000;

export interface Follower {
  readonly signal: AbortSignal;
  /** Called when the stream is open (again); a new stream does not replay earlier events. */
  readonly onOpen: () => void;
  /** Called when the stream is lost or could not be opened; it is tried again. */
  readonly onLost: () => void;
  readonly onEvent: (event: LiveEvent) => void;
}

/** Subscribes to the live stream until the signal aborts. */
export async function follow(follower: Follower): Promise<void> {
  const { signal, onLost, onOpen, onEvent } = follower;
  const client = createWatchedClient({ onAsk: onLost, onAnswer: onOpen });
  addEventListener("offline", onLost, { signal });
  while (!signal.aborted) {
    const stream = new AbortController();
    // A stream that was cut by a lost network takes a long time to notice it.
    addEventListener("online", () => stream.abort(), { once: true, signal: stream.signal });
    const ends = AbortSignal.any([signal, stream.signal]);
    try {
      for await (const event of client.live({ signal: ends })) onEvent(event);
    } catch {
      // The client leads a signed-out person away.
    }
    if (!ends.aborted) {
      onLost();
      await pause(ends);
    }
    stream.abort();
  }
}

/** Waits before the next try; ends early when the signal aborts. */
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
