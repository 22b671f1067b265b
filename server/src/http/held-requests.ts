import type { FastifyReply } from "fastify";
import { AppError } from "#errors.ts";
import type { Server } from "./server.ts";

/**
 * The maximum number of requests that a process holds for one key. A program that waits for several prompts needs one
 * request for each.
 */
export const HELD_PER_KEY_MAX = 100;
/** The delay before a caller with too many held requests may try again. */
const TOO_MANY_RETRY_MS = 1_000;

/** Requests whose responses wait for an event. Their waits end early if the server stops or the caller disconnects. */
export class HeldRequests {
  readonly #countsByKey = new Map<string, number>();
  readonly #held = new Set<AbortController>();
  #isStopping = false;

  /** Ends all waits of `server` when it begins to close, because a close waits for the current requests. */
  constructor(server: Server) {
    server.addHook("preClose", async () => {
      this.#isStopping = true;
      for (const controller of this.#held) controller.abort();
    });
  }

  /** Number of requests that wait. */
  get size(): number {
    return this.#held.size;
  }

  /**
   * Returns the result of `wait`, which must end soon after its signal is aborted. Throws `rate_limited` if the key has
   * too many requests that wait.
   */
  async hold<T>(
    { reply, keyId }: { readonly reply: FastifyReply; readonly keyId: string },
    wait: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const count = this.#countsByKey.get(keyId) ?? 0;
    if (count >= HELD_PER_KEY_MAX) throw createTooManyHeldError();
    const controller = new AbortController();
    const abort = () => controller.abort();
    const { socket } = reply.raw.req;
    if (this.#isStopping || reply.raw.destroyed || socket.readableEnded) abort();
    this.#countsByKey.set(keyId, count + 1);
    this.#held.add(controller);
    // The server keeps half-closed connections, so `end` may be the only sign that the caller has disconnected.
    socket.once("end", abort);
    reply.raw.once("close", abort);
    try {
      return await wait(controller.signal);
    } finally {
      socket.off("end", abort);
      reply.raw.off("close", abort);
      this.#held.delete(controller);
      this.#release(keyId);
    }
  }

  #release(keyId: string): void {
    const count = (this.#countsByKey.get(keyId) ?? 1) - 1;
    if (count === 0) this.#countsByKey.delete(keyId);
    else this.#countsByKey.set(keyId, count);
  }
}

function createTooManyHeldError(): AppError {
  const message = `This key already has ${HELD_PER_KEY_MAX} requests that wait. End one, or ask without wait.`;
  return new AppError("rate_limited", message, { retryAfterMs: TOO_MANY_RETRY_MS });
}
