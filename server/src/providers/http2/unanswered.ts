import type { Http2Exchange } from "./http2.ts";
import { NO_DESCRIPTOR_DETAIL, NoDescriptorError } from "../no-descriptor.ts";
import { createRetry, createUncountedRetry } from "../outcomes.ts";
import type { Outcome } from "../provider.ts";

/** The result of a request without a response. */
export type UnansweredHttp2Exchange = Exclude<Http2Exchange, { readonly kind: "answered" }>;

/** The host of a request that got no response, and whether its caller gave up. */
export interface UnansweredContext {
  readonly host: string;
  /** True if the caller gave up before our own deadline, so nothing is known about the service. */
  readonly isCallerGone: boolean;
}

/** Returns the outcome of a request without a response. */
export function interpretUnanswered(
  exchange: UnansweredHttp2Exchange,
  context: UnansweredContext,
): Outcome {
  const { host } = context;
  if (exchange.kind === "lost") return createRetry({ code: "ambiguous", detail: host });
  switch (exchange.cause) {
    case "unreachable":
      if (exchange.error instanceof NoDescriptorError) return createNoDescriptorOutcome(host);
      return createUncountedRetry({ code: "unreachable", detail: host });
    case "refused":
      return createRetry({ code: "transient", detail: host });
    case "aborted":
      return createAbortedOutcome(context);
  }
}

/** Returns the outcome of a request that was given up before anything was sent. It does not blame the host. */
export function createAbortedOutcome({ host, isCallerGone }: UnansweredContext): Outcome {
  const code = isCallerGone ? "ambiguous" : "unreachable";
  return { ...createUncountedRetry({ code, detail: host }), isInconclusive: true };
}

/** Returns the outcome of a request that got no file descriptor. It does not blame the host. */
export function createNoDescriptorOutcome(host: string): Outcome & { readonly kind: "retry" } {
  const detail = `${host}: ${NO_DESCRIPTOR_DETAIL}`;
  return {
    ...createUncountedRetry({ code: "unreachable", detail }),
    isInconclusive: true,
    isLocalFailure: true,
  };
}
