import type { MismatchVerdict } from "./mismatch-share.ts";
import type { AnswerHeaders } from "./post.ts";
import type { Outcome, Reason, ReasonCode } from "./provider.ts";
import { retryAfterMs } from "./retry-after.ts";

/** An answer of a push service, with the context of its request. */
export interface AnswerCase {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** When the request was sent. A device that registered later is not gone. */
  readonly askedAt: number;
  readonly now: number;
}

/** An answer that the device belongs to another sender. */
interface MismatchCase {
  /** Counts the mismatch and returns its cause. */
  readonly judgeMismatch: () => MismatchVerdict;
}

type OutcomeOf<Kind extends Outcome["kind"]> = Extract<Outcome, { readonly kind: Kind }>;

/** Push services have bad days, and an operator needs time to correct a setting. */
const DOUBT_WAIT_MS = 60 * 60 * 1000;

/** Returns the outcome of a counted attempt that is retried, after the wait that the service asked for. */
export function retry(reason: Reason, afterMs: number | null = null): OutcomeOf<"retry"> {
  return { kind: "retry", reason, afterMs, counted: true };
}

/** Returns the outcome of an attempt that sent nothing and is retried. */
export function unsent(reason: Reason, afterMs: number | null = null): OutcomeOf<"retry"> {
  return { ...retry(reason, afterMs), counted: false };
}

/** Returns the outcome if the device or a setting may be wrong: neither is blamed yet. */
export function doubt(reason: Reason): OutcomeOf<"retry"> {
  return retry(reason, DOUBT_WAIT_MS);
}

/** Returns the outcome of a message that can never reach the address. */
export function rejected(reason: Reason): OutcomeOf<"rejected"> {
  return { kind: "rejected", reason };
}

/** Returns functions that turn a provider's answers into outcomes; `reasonOf` describes an answer. */
export function outcomesOf<Case extends AnswerCase>(
  reasonOf: (answer: Case, code: ReasonCode) => Reason,
) {
  const gone = (answer: Case, code: ReasonCode): OutcomeOf<"gone"> => ({
    kind: "gone",
    asOf: answer.askedAt,
    reason: reasonOf(answer, code),
  });
  const refused = (answer: Case): OutcomeOf<"refused"> => ({
    kind: "refused",
    reason: reasonOf(answer, "provider_misconfigured"),
  });
  const retryLater = (answer: Case, code: ReasonCode) =>
    retry(reasonOf(answer, code), retryAfterMs(answer.headers["retry-after"], answer.now));
  return {
    gone,
    refused,
    rejected: (answer: Case, code: ReasonCode) => rejected(reasonOf(answer, code)),
    suspect: (answer: Case) => doubt(reasonOf(answer, "suspect")),
    throttled: (answer: Case) => retryLater(answer, "rate_limited"),
    transient: (answer: Case) => retryLater(answer, "transient"),
    /** The device belongs to another app or project, or our settings name another one. */
    mismatched: (answer: Case & MismatchCase): Outcome => {
      switch (answer.judgeMismatch()) {
        case "settings":
          return { ...refused(answer), mayBeDevice: true };
        case "device":
          return gone(answer, "device_invalid");
        case "unclear":
          return doubt(reasonOf(answer, "provider_misconfigured"));
      }
    },
  };
}
