import type { Http2Exchange } from "./http2.ts";
import { NO_DESCRIPTOR, NoDescriptorError } from "../no-descriptor.ts";
import { retry, unsent } from "../outcomes.ts";
import type { Outcome } from "../provider.ts";

export type Unanswered = Exclude<Http2Exchange, { readonly kind: "answered" }>;

export interface UnansweredContext {
  readonly host: string;
  /** True if the caller gave up before our own deadline, so nothing is known about the service. */
  readonly isCallerGone: boolean;
}

/** Returns the outcome of a request without a response. */
export function judgeUnanswered(exchange: Unanswered, context: UnansweredContext): Outcome {
  const { host } = context;
  if (exchange.kind === "lost") return retry({ code: "ambiguous", detail: host });
  switch (exchange.cause) {
    case "unreachable":
      if (exchange.error instanceof NoDescriptorError) return notAsked(host);
      return unsent({ code: "unreachable", detail: host });
    case "refused":
      return retry({ code: "transient", detail: host });
    case "given up":
      return judgeGivenUp(context);
  }
}

/** Returns the outcome of a request that timed out before anything was sent. */
export function judgeGivenUp({ host, isCallerGone }: UnansweredContext): Outcome {
  const code = isCallerGone ? "ambiguous" : "unreachable";
  return { ...unsent({ code, detail: host }), isNoSign: true };
}

/** Returns the outcome if there was no file descriptor for the connection, which does not blame the host. */
export function notAsked(host: string): Outcome & { readonly kind: "retry" } {
  const detail = `${host}: ${NO_DESCRIPTOR}`;
  return { ...unsent({ code: "unreachable", detail }), isNoSign: true, isOurs: true };
}
