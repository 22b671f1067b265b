import type { FastifyRequest } from "fastify";
import type { Dialect } from "@tocsin/sdk";
import { AppError } from "#errors.ts";
import { readBeforeCommit } from "#notifications/read-deadline.ts";
import type { DialectDeps, DialectSender } from "./dialect.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The sender that a hook of a dialect found. */
    sender: DialectSender | null;
  }
}

/**
 * Finds the sender of a request's key, charges the request to the key, and slows bulk down. Throws `missing_key`,
 * `invalid_key`, `too_many` after many wrong keys from the same network, and `rate_limited` for a key that sends too fast.
 */
export async function authenticateSender(
  { context, findSender, countWrongKey, rateLimit, delivery }: DialectDeps,
  request: FastifyRequest,
  { key, dialect }: { readonly key: string | null; readonly dialect: Dialect },
): Promise<void> {
  if (key === null) throw new AppError("missing_key", "The request has no key.");
  const sender = await readBeforeCommit(context, findSender(key, dialect));
  if (sender === null) {
    await countFailure(countWrongKey, request.ip);
    throw new AppError("invalid_key", "The key is wrong.");
  }
  request.sender = sender;
  request.principal = sender.principal;
  rateLimit.take(sender.principal.keyId, 1);
  delivery.slowBulkDown();
}

/** Returns the sender that the hook found. Throws for a route without the hook, which is a bug. */
export function getSender({ sender }: FastifyRequest): DialectSender {
  if (sender === null) throw new Error("This route does not authenticate a key.");
  return sender;
}

/**
 * Counts a wrong key only after the look-up, so that one misconfigured program does not lock out other senders on its
 * network. Keys are too long to be guessed.
 */
async function countFailure(count: DialectDeps["countWrongKey"], ip: string): Promise<void> {
  try {
    await count(ip);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "rate_limited") throw error;
    const { retryAfterMs } = error;
    const details = retryAfterMs === null ? {} : { retryAfterMs };
    throw new AppError("too_many", "Too many wrong keys from this network.", details);
  }
}
