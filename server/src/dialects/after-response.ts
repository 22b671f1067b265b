import type { FastifyReply } from "fastify";

/**
 * Calls a function, which must not reject, once the operating system took the whole response, and never if the
 * connection closes before. Call this function before the response is sent.
 */
export function runAfterResponse({ raw }: FastifyReply, run: () => Promise<void>): void {
  raw.once("finish", () => void run());
}
