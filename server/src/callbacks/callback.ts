import { isIP } from "node:net";
import { isLocalName } from "#providers/local-name.ts";

/** The events that cause a callback. Each room adds its own here. */
export type CallbackEvent =
  | "incident.escalated"
  | "incident.acknowledged"
  | "incident.resolved"
  | "incident.expired"
  | "prompt.answered"
  | "prompt.expired";

/** A callback that a room asks to store. */
export interface NewCallback {
  /** The first API key of the rotation chain that named the URL; its secrets sign the callback. */
  readonly sourceId: string;
  readonly event: CallbackEvent;
  /** The incident or prompt. */
  readonly subjectId: string;
  /** A URL that `checkCallbackUrl` accepts. */
  readonly url: string;
  /** The member `data` of the body, without secrets. */
  readonly payload: object;
}

/** A stored callback. */
export interface Callback {
  /** The id is the same at every attempt, and is sent as `webhook-id`. */
  readonly id: string;
  readonly sourceId: string;
  readonly event: CallbackEvent;
  readonly subjectId: string;
  readonly url: string;
}

/** A callback that was given up. `reason` contains neither the URL nor text from the receiver. */
export interface FailedCallback extends Callback {
  readonly attempts: number;
  readonly reason: string;
}

/** One signed request. */
export interface CallbackRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The outcome of one attempt. `reason` contains neither the URL nor text from the receiver. */
export type CallbackOutcome =
  | { readonly kind: "delivered" }
  | { readonly kind: "retry"; readonly reason: string }
  /** The receiver wants no further attempt, or none can succeed. */
  | { readonly kind: "refused"; readonly reason: string }
  /** This process stopped during the attempt, which says nothing about the receiver. */
  | { readonly kind: "interrupted" };

/** Sends one request. A failure is an outcome, not an exception. */
export type SendCallback = (
  request: CallbackRequest,
  signal: AbortSignal,
) => Promise<CallbackOutcome>;

/** The result of checking a URL: valid, or the reason as the rest of a sentence that begins with the field's name. */
export type CallbackUrlVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly message: string };

/** Maximum length of a URL, in characters. */
export const CALLBACK_URL_MAX_CHARACTERS = 2_048;

/** Printable ASCII without the backslash, so that a URL parser has nothing to strip or rewrite. */
const PLAIN_ASCII_PATTERN = /^[\u0021-\u005b\u005d-\u007e]+$/u;
const USERINFO_PATTERN = /^[^/?#]*\/\/[^/?#]*@/u;

/**
 * Returns whether a sender may name a URL: https with a public name, or an origin that the operator allows. The host's
 * addresses are checked at every attempt.
 */
export function checkCallbackUrl(
  { allowOrigins }: { readonly allowOrigins: readonly string[] },
  text: string,
): CallbackUrlVerdict {
  if (text.length > CALLBACK_URL_MAX_CHARACTERS)
    return refuse(`must have at most ${CALLBACK_URL_MAX_CHARACTERS} characters`);
  if (!PLAIN_ASCII_PATTERN.test(text) || !URL.canParse(text))
    return refuse("must be an absolute https URL");
  if (USERINFO_PATTERN.test(text))
    return refuse("must not contain a user name: the signature proves the sender");
  if (text.includes("#")) return refuse("must not contain a fragment");
  const { protocol, hostname, origin } = new URL(text);
  if (allowOrigins.includes(origin)) return { ok: true };
  if (protocol !== "https:") return refuse("must be an https URL");
  // The parser has already normalized 2130706433, 0x7f.1 and 127.1 to 127.0.0.1.
  const isAddress = hostname.startsWith("[") || isIP(hostname) !== 0;
  if (isAddress || isLocalName(hostname)) {
    return refuse(
      "must have a public host name, unless the operator allows its origin (TOCSIN_CALLBACK_ALLOW_ORIGINS)",
    );
  }
  return { ok: true };
}

function refuse(message: string): CallbackUrlVerdict {
  return { ok: false, message };
}
