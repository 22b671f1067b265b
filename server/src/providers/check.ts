import { EMPTY_CONTENT } from "@tocsin/sdk";
import type { Message } from "./provider.ts";

/** The result of checking one service of a provider, for `tocsin doctor`. */
export interface ProviderCheckResult {
  /** The name of the service, as the provider's `getServiceName` returns it. */
  readonly subject: string;
  readonly status: "ok" | "warn" | "fail";
  /** The result in one sentence, without secrets. */
  readonly message: string;
  /** The remedy in one sentence; null if none is needed. */
  readonly mend: string | null;
}

const TRIAL_TTL_MS = 60_000;

/** Returns the message for checking a service. It is an ordinary message, so that the result holds for other messages. */
export function createTrialMessage(now: number): Message {
  return {
    notificationId: "check",
    ...EMPTY_CONTENT,
    title: "Tocsin",
    body: "A check of the credentials.",
    createdAt: now,
    expiresAt: now + TRIAL_TTL_MS,
    interaction: null,
  };
}
