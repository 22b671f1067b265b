import type { Http2Exchange } from "./http2.ts";
import { NO_DESCRIPTOR, NoDescriptorError } from "../no-descriptor.ts";
import type { Outcome, ReasonCode } from "../provider.ts";

export type Unanswered = Exclude<Http2Exchange, { readonly kind: "answered" }>;

export interface UnansweredContext {
  readonly host: string;
  /** The caller gave up before our own deadline, so nothing is known of the service. */
  readonly isCallerGone: boolean;
}

/** Returns the outcome of a request without an answer. */
export function judgeUnanswered(exchange: Unanswered, context: UnansweredContext): Outcome {
  const { host } = context;
  if (exchange.kind === "lost") return retry({ code: "ambiguous", host, counted: true });
  switch (exchange.cause) {
    case "unreachable":
      if (exchange.error instanceof NoDescriptorError) return notAsked(host);
      return retry({ code: "unreachable", host, counted: false });
    case "refused":
      return retry({ code: "transient", host, counted: true });
    case "given up":
      return judgeGivenUp(context);
  }
}

/** Returns the outcome of a request whose time ran out before anything was sent. */
export function judgeGivenUp({ host, isCallerGone }: UnansweredContext): Outcome {
  const outcome = retry({ code: isCallerGone ? "ambiguous" : "unreachable", host, counted: false });
  return { ...outcome, isNoSign: true };
}

/** Returns the outcome if there was no file descriptor for the connection, which says nothing about the host. */
export function notAsked(host: string): Outcome & { readonly kind: "retry" } {
  const detail = `${host}: ${NO_DESCRIPTOR}`;
  const outcome = retry({ code: "unreachable", host: detail, counted: false });
  return { ...outcome, isNoSign: true, isOurs: true };
}

interface Again {
  readonly code: ReasonCode;
  readonly host: string;
  readonly counted: boolean;
}

function retry({ code, host, counted }: Again): Outcome & { readonly kind: "retry" } {
  return { kind: "retry", reason: { code, detail: host }, afterMs: null, counted };
}
