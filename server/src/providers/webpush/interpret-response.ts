import { createDoubtfulRetry, createOutcomeFactories, type ReceivedResponse } from "../outcomes.ts";
import type { Outcome, ReasonCode } from "../provider.ts";
import { parseResponseBody, type WebPushResponseBody } from "./response-body.ts";
import type { PushServiceResponse, PushResponseHeaders } from "../post.ts";

/** The request that a response belongs to. */
export interface WebPushResponseContext {
  readonly host: string;
  /**
   * True if a vendor or the operator listed the host, so that its response about our credentials concerns many devices.
   */
  readonly isListedHost: boolean;
  /** When the request was sent. A device that registered later is not gone. */
  readonly requestedAt: number;
  readonly now: number;
}

/** The meaning of a response, and a remedy to try once before the outcome is final. */
export interface WebPushInterpretation {
  readonly outcome: Outcome;
  readonly remedy: "fresh_token" | "short_form" | null;
}

interface WebPushReceivedResponse extends WebPushResponseContext, ReceivedResponse {
  readonly body: WebPushResponseBody;
}

const RECEIPT_LENGTH_MAX = 64;
const BAD_REQUEST_REASONS: ReadonlySet<string> = new Set([
  "BadPath",
  "BadTtl",
  "BadUrgency",
  "BadWebPushRequest",
  "BadWebPushTopic",
  "MethodNotAllowed",
  "PayloadTooLarge",
]);
const CREDENTIAL_REASONS: ReadonlySet<string> = new Set([
  "BadAuthorizationHeader",
  "BadVapidPublicKey",
]);
/** Mozilla's autopush: missing or bad headers, encryption, TTL and topic. */
const BAD_REQUEST_ERRNOS: ReadonlySet<number> = new Set([101, 108, 110, 111, 112, 113]);

const { toGone, toRefused, toRejected, toSuspect, toThrottled, toTransient } =
  createOutcomeFactories(toReason);

/** Returns the meaning of a response for the message, the device and our credentials. */
export function interpretResponse(
  response: PushServiceResponse,
  context: WebPushResponseContext,
): WebPushInterpretation {
  const { status, headers, body } = response;
  if (status >= 200 && status < 300) return toFinal(toAccepted(headers));
  const received: WebPushReceivedResponse = {
    ...context,
    status,
    headers,
    body: parseResponseBody(body),
  };
  if (status >= 300 && status < 400) return toFinal(toSuspect(received));
  if (status >= 500) return toFinal(toTransient(received));
  switch (status) {
    case 400:
      return interpretBadRequest(received);
    case 401:
    case 403:
      return interpretCredentials(received);
    case 404:
      return toFinal(received.body.isGone ? toGone(received, "device_gone") : toSuspect(received));
    case 410:
      return toFinal(toGone(received, "device_gone"));
    case 408:
      return toFinal(toTransient(received));
    case 406: // Windows' push service uses 406 in place of 429.
    case 429:
      return toFinal(toThrottled(received));
    case 413:
      return { outcome: toRejected(received, "payload_too_large"), remedy: "short_form" };
    default:
      return received.body.reason === null
        ? toFinal(toSuspect(received))
        : interpretReason(received);
  }
}

function interpretBadRequest(received: WebPushReceivedResponse): WebPushInterpretation {
  const { hasOtherVapidKey, isGone, reason, errno } = received.body;
  if (hasOtherVapidKey) return toFinal(toGone(received, "subscription_key_changed"));
  if (isGone) return toFinal(toGone(received, "device_gone"));
  if (reason !== null) return interpretReason(received);
  if (errno !== null && BAD_REQUEST_ERRNOS.has(errno))
    return toFinal(toRejected(received, "rejected"));
  return toFinal(toSuspect(received));
}

/** Returns the meaning of Apple's reasons, independent of the status. */
function interpretReason(received: WebPushReceivedResponse): WebPushInterpretation {
  const reason = received.body.reason ?? "";
  if (reason === "BadJwtToken") return interpretCredentials(received);
  if (CREDENTIAL_REASONS.has(reason)) return toFinal(toUnauthorized(received));
  if (BAD_REQUEST_REASONS.has(reason)) return toFinal(toRejected(received, "rejected"));
  return toFinal(toTransient(received));
}

function interpretCredentials(received: WebPushReceivedResponse): WebPushInterpretation {
  if (received.body.hasOtherVapidKey) return toFinal(toGone(received, "subscription_key_changed"));
  return { outcome: toUnauthorized(received), remedy: "fresh_token" };
}

function toFinal(outcome: Outcome): WebPushInterpretation {
  return { outcome, remedy: null };
}

/** Keeps Apple's id, which Apple's support asks for. Drops the `Location` of other services: it is a capability. */
function toAccepted(headers: PushResponseHeaders): Outcome {
  const id = headers["apns-id"];
  return {
    kind: "accepted",
    receipt: typeof id === "string" && id !== "" ? id.slice(0, RECEIPT_LENGTH_MAX) : null,
  };
}

/** Returns `refused` only for a listed host: an unlisted one must not be able to stop all other deliveries. */
function toUnauthorized(received: WebPushReceivedResponse): Outcome {
  if (received.isListedHost) return { ...toRefused(received), mayConcernOnlyDevice: true };
  return createDoubtfulRetry(toReason(received, "provider_misconfigured"));
}

function toReason({ host, status, body }: WebPushReceivedResponse, code: ReasonCode) {
  const hint = body.reason ?? (body.errno === null ? null : `errno ${body.errno}`);
  return { code, detail: `${host} answered ${status}${hint === null ? "" : ` ${hint}`}` };
}
