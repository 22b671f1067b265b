import type { MismatchCause } from "./mismatch-classifier.ts";
import type { PushResponseHeaders } from "./post.ts";
import type { Outcome, Reason, ReasonCode } from "./provider.ts";
import { parseRetryAfterMs } from "./retry-after.ts";

/** A response of a push service, with the times of the request and of the response. */
export interface ReceivedResponse {
  readonly status: number;
  readonly headers: PushResponseHeaders;
  /** When the request was sent. A device that registered later is not gone. */
  readonly requestedAt: number;
  readonly now: number;
}

/** A response that says that the device belongs to another sender. */
interface MismatchResponse {
  /** Counts the mismatch and returns its cause. */
  readonly classifyMismatch: () => MismatchCause;
}

type OutcomeOf<Kind extends Outcome["kind"]> = Extract<Outcome, { readonly kind: Kind }>;

/** The wait of a doubtful retry: the push service may recover, and an operator needs time to correct a setting. */
const DOUBTFUL_WAIT_MS = 60 * 60 * 1000;

/** Returns the outcome of a counted attempt that is retried. `afterMs` is the wait that the service asked for. */
export function createRetry(reason: Reason, afterMs: number | null = null): OutcomeOf<"retry"> {
  return { kind: "retry", reason, afterMs, isCounted: true };
}

/** Returns the outcome of an attempt that sent nothing and is retried. */
export function createUncountedRetry(
  reason: Reason,
  afterMs: number | null = null,
): OutcomeOf<"retry"> {
  return { ...createRetry(reason, afterMs), isCounted: false };
}

/** Returns the outcome if the device or a setting may be wrong: a retry after an hour, which blames neither. */
export function createDoubtfulRetry(reason: Reason): OutcomeOf<"retry"> {
  return createRetry(reason, DOUBTFUL_WAIT_MS);
}

/** Returns the outcome of a message that can never reach the address. */
export function createRejection(reason: Reason): OutcomeOf<"rejected"> {
  return { kind: "rejected", reason };
}

/** Returns functions that turn a provider's responses into outcomes; `toReason` describes a response. */
export function createOutcomeFactories<Response extends ReceivedResponse>(
  toReason: (response: Response, code: ReasonCode) => Reason,
) {
  const toGone = (response: Response, code: ReasonCode): OutcomeOf<"gone"> => ({
    kind: "gone",
    goneAt: response.requestedAt,
    reason: toReason(response, code),
  });
  const toRefused = (response: Response): OutcomeOf<"refused"> => ({
    kind: "refused",
    reason: toReason(response, "provider_misconfigured"),
  });
  const toRetry = (response: Response, code: ReasonCode) =>
    createRetry(
      toReason(response, code),
      parseRetryAfterMs(response.headers["retry-after"], response.now),
    );
  return {
    toGone,
    toRefused,
    toRejected: (response: Response, code: ReasonCode) => createRejection(toReason(response, code)),
    toSuspect: (response: Response) => createDoubtfulRetry(toReason(response, "suspect")),
    toThrottled: (response: Response) => toRetry(response, "rate_limited"),
    toTransient: (response: Response) => toRetry(response, "transient"),
    /** The device belongs to another app or project, or our settings name another one. */
    toMismatched: (response: Response & MismatchResponse): Outcome => {
      switch (response.classifyMismatch()) {
        case "settings":
          return { ...toRefused(response), mayConcernOnlyDevice: true };
        case "device":
          return toGone(response, "device_invalid");
        case "unclear":
          return createDoubtfulRetry(toReason(response, "provider_misconfigured"));
      }
    },
  };
}
