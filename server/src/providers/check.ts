import { EMPTY_CONTENT } from "@tocsin/sdk";
import type { Message } from "./provider.ts";

/** The result of a check of one service of a provider, for `tocsin doctor`. */
export interface ProviderCheck {
  /** The service, named as the provider's `serviceOf` names it. */
  readonly subject: string;
  readonly status: "ok" | "warn" | "fail";
  /** One sentence that says what was found; it holds no secret. */
  readonly message: string;
  /** One sentence that says what to do about it; null where there is nothing to do. */
  readonly mend: string | null;
}

const TRIAL_LIFE_MS = 60_000;

/** Returns a message like any other, which a check asks about, so that what passes here passes there. */
export function trialMessage(now: number): Message {
  return {
    notificationId: "check",
    ...EMPTY_CONTENT,
    title: "Tocsin",
    body: "A check of the credentials.",
    createdAt: now,
    expiresAt: now + TRIAL_LIFE_MS,
  };
}
