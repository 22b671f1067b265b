import type { MismatchVerdict } from "./mismatch-share.ts";
import type { AnswerHeaders } from "./post.ts";
import type { Outcome, Reason, ReasonCode } from "./provider.ts";
import { retryAfterMs } from "./retry-after.ts";

/** An answer of a push service, in the context of its request. */
export interface AnswerCase {
  readonly status: number;
  readonly headers: AnswerHeaders;
  /** When the request was made. A device that registered later is not the one that is gone. */
  readonly askedAt: number;
  readonly now: number;
}

/** An answer that the device belongs to somebody else. */
interface MismatchCase {
  /** Counts the device, and returns what is at fault. */
  readonly judgeMismatch: () => MismatchVerdict;
}

type OutcomeOf<Kind extends Outcome["kind"]> = Extract<Outcome, { readonly kind: Kind }>;

/** Push services have bad days, and an operator needs time to correct a setting. */
const DOUBT_WAIT_MS = 60 * 60 * 1000;

/** Returns the outcome of an attempt that counts and is to be repeated, after a wait that the service asked for. */
export function retry(reason: Reason, afterMs: number | null = null): OutcomeOf<"retry"> {
  return { kind: "retry", reason, afterMs, counted: true };
}

/** Returns the outcome of an attempt that is to be repeated, and of which nothing was sent. */
export function unsent(reason: Reason, afterMs: number | null = null): OutcomeOf<"retry"> {
  return { ...retry(reason, afterMs), counted: false };
}

/** Returns the outcome where the device or a setting may be wrong: neither is blamed yet. */
export function doubt(reason: Reason): OutcomeOf<"retry"> {
  return retry(reason, DOUBT_WAIT_MS);
}

/** Returns the outcome of a message that can never reach the address. */
export function rejected(reason: Reason): OutcomeOf<"rejected"> {
  return { kind: "rejected", reason };
}

/** Returns the outcomes of a provider's answers; `reasonOf` puts an answer into words. */
export function outcomesOf<Case extends AnswerCase>(
  reasonOf: (known: Case, code: ReasonCode) => Reason,
) {
  const gone = (known: Case, code: ReasonCode): OutcomeOf<"gone"> => ({
    kind: "gone",
    asOf: known.askedAt,
    reason: reasonOf(known, code),
  });
  const refused = (known: Case): OutcomeOf<"refused"> => ({
    kind: "refused",
    reason: reasonOf(known, "provider_misconfigured"),
  });
  const again = (known: Case, code: ReasonCode) =>
    retry(reasonOf(known, code), retryAfterMs(known.headers["retry-after"], known.now));
  return {
    gone,
    refused,
    rejected: (known: Case, code: ReasonCode) => rejected(reasonOf(known, code)),
    suspect: (known: Case) => doubt(reasonOf(known, "suspect")),
    throttled: (known: Case) => again(known, "rate_limited"),
    transient: (known: Case) => again(known, "transient"),
    /** The device belongs to another app or project, or our settings name another one. */
    mismatched: (known: Case & MismatchCase): Outcome => {
      switch (known.judgeMismatch()) {
        case "settings":
          return { ...refused(known), mayBeDevice: true };
        case "device":
          return gone(known, "device_invalid");
        case "unclear":
          return doubt(reasonOf(known, "provider_misconfigured"));
      }
    },
  };
}
