import { AddressNotAllowedError } from "#providers/address-guard.ts";
import { NoDescriptorError } from "#providers/no-descriptor.ts";
import type { PostExchange } from "#providers/post.ts";
import type { CallbackOutcome } from "./callback.ts";

/** RFC 9110 section 15.5.11; Standard Webhooks asks senders to stop then. */
const GONE = 410;

/** Returns the outcome of a call that the receiver answered with an HTTP status. */
export function interpretStatus(status: number): CallbackOutcome {
  if (status >= 200 && status < 300) return { kind: "delivered" };
  if (status === GONE)
    return { kind: "refused", reason: `answered ${GONE}: wants no further calls` };
  const isRedirect = status >= 300 && status < 400;
  const hint = isRedirect ? ": redirects are not followed" : "";
  return { kind: "retry", reason: `answered ${status}${hint}` };
}

type UnansweredRequest = Exclude<PostExchange, { readonly kind: "answered" }>;

/** Returns the reason for a call without an answer. Omits the error's message, which may quote the URL or the receiver. */
export function describeFailure({ kind, error }: UnansweredRequest, isTimeout: boolean): string {
  if (isTimeout) return "no answer in time";
  if (error instanceof AddressNotAllowedError) return "the host has an address that is not public";
  if (error instanceof NoDescriptorError) return "this server has no free file descriptor";
  const code = findCode(error);
  const fault = kind === "lost" ? "the connection broke before the answer" : "no connection";
  return code === null ? fault : `${fault} (${code})`;
}

/** Returns the code of an error, or of one that caused it; null if there is none. */
function findCode(error: Error): string | null {
  const code = "code" in error ? error.code : null;
  if (typeof code === "string" && /^[A-Z][A-Z0-9_]*$/.test(code)) return code;
  return error.cause instanceof Error && error.cause !== error ? findCode(error.cause) : null;
}
