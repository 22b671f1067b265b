import type { FastifyRequest } from "fastify";
import type { Dialect } from "@tocsin/sdk";
import type { SignedInApp } from "#apps/app.ts";
import { AppError } from "#errors.ts";
import { readBeforeCommit } from "#notifications/read-deadline.ts";
import type { DialectDeps, DialectSender } from "./dialect.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The sender that a hook of a dialect found. */
    sender: DialectSender | null;
    /** The app that a hook of a dialect found by its password or token. */
    signedInApp: SignedInApp | null;
  }
}

/** The credential of a request. */
interface Credential {
  /** Null if the request has none. */
  readonly key: string | null;
  readonly dialect: Dialect;
}

/**
 * Finds the sender of a request's key, charges the request to the key, and slows bulk down. Throws `missing_key`,
 * `invalid_key`, `too_many` after many wrong keys from the same network, and `rate_limited` for a key that sends too fast.
 */
export async function authenticateSender(
  deps: DialectDeps,
  request: FastifyRequest,
  { key, dialect }: Credential,
): Promise<void> {
  const sender = await findSender(deps, requireKey(key), dialect);
  if (sender === null) throw await countAndCreateError(deps, request);
  acceptKey(deps, request, sender);
}

/**
 * Finds the sender of a request's key, like `authenticateSender`, or the app of an app password, which sends to its own
 * account. Charges the request of an app to the account. Throws `forbidden` for an app of Gotify, which only receives.
 */
export async function authenticateSenderOrApp(
  deps: DialectDeps,
  request: FastifyRequest,
  credential: Credential,
): Promise<void> {
  const key = requireKey(credential.key);
  const sender = await findSender(deps, key, credential.dialect);
  if (sender !== null) {
    acceptKey(deps, request, sender);
    return;
  }
  const app = await readBeforeCommit(deps.context, deps.appSignIn.find(key));
  if (app === null) throw await countAndCreateError(deps, request);
  if (app.client === "gotify")
    throw new AppError("forbidden", "An app of Gotify only receives. Send with an API key.");
  request.signedInApp = app;
  deps.rateLimit.take(app.accountId, 1);
  deps.delivery.slowBulkDown();
}

/**
 * Finds the app of a request's app password, and charges the request to the app. Throws `missing_key`; `invalid_key`;
 * `forbidden` for an API key, which only sends; `too_many` after many wrong passwords from the same network; and
 * `rate_limited` for an app that requests too much.
 */
export async function authenticateApp(
  deps: DialectDeps,
  request: FastifyRequest,
  credential: Credential,
): Promise<void> {
  const key = requireKey(credential.key);
  const app = await deps.appSignIn.find(key);
  if (app === null) {
    const sender = await deps.findSender(key, credential.dialect);
    if (sender === null) throw await countAndCreateError(deps, request);
    throw new AppError("forbidden", "An API key only sends. Sign in with an app password.");
  }
  request.signedInApp = app;
  deps.rateLimit.take(app.deviceId, 1);
}

/** Returns the sender that the hook found. Throws for a route without the hook, which is a bug. */
export function getSender({ sender }: FastifyRequest): DialectSender {
  if (sender === null) throw new Error("This route does not authenticate a key.");
  return sender;
}

/** Returns the app that the hook found. Throws for a route without the hook, which is a bug. */
export function getApp({ signedInApp }: FastifyRequest): SignedInApp {
  if (signedInApp === null) throw new Error("This route does not authenticate an app.");
  return signedInApp;
}

function requireKey(key: string | null): string {
  if (key === null) throw new AppError("missing_key", "The request has no key.");
  return key;
}

async function findSender(deps: DialectDeps, key: string, dialect: Dialect) {
  return readBeforeCommit(deps.context, deps.findSender(key, dialect));
}

function acceptKey(
  { rateLimit, delivery }: DialectDeps,
  request: FastifyRequest,
  sender: DialectSender,
): void {
  request.sender = sender;
  request.principal = sender.principal;
  rateLimit.take(sender.principal.keyId, 1);
  delivery.slowBulkDown();
}

/**
 * Counts a wrong key, and returns the error for it. The key was looked up before, so that one misconfigured program does not lock
 * out other senders on its network. Keys are too long to be guessed.
 */
async function countAndCreateError(
  { countWrongKey }: DialectDeps,
  { ip }: FastifyRequest,
): Promise<AppError> {
  try {
    await countWrongKey(ip);
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "rate_limited") throw error;
    const { retryAfterMs } = error;
    const details = retryAfterMs === null ? {} : { retryAfterMs };
    return new AppError("too_many", "Too many wrong keys from this network.", details);
  }
  return new AppError("invalid_key", "The key is wrong.");
}
