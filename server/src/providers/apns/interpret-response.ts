import type { MismatchCause } from "../mismatch-classifier.ts";
import { createOutcomeFactories, type ReceivedResponse } from "../outcomes.ts";
import type { PushServiceResponse, PushResponseHeaders } from "../post.ts";
import type { Outcome, ReasonCode } from "../provider.ts";
import { parseResponseBody, type ApnsResponseBody } from "./response-body.ts";

/** The request that a response belongs to, and the state of our credential. */
export interface ApnsResponseContext {
  /** When the request was made. A device that registered after it must not be treated as gone. */
  readonly requestedAt: number;
  readonly now: number;
  /** Returns the time until our token may be replaced. */
  readonly getRenewalWaitMs: () => number;
  /** Counts a device of another app, and returns whether the device or our settings are at fault. */
  readonly classifyMismatch: () => MismatchCause;
}

/** The meaning of a response, and a remedy to try before the outcome is final. */
export interface ApnsInterpretation {
  readonly outcome: Outcome;
  readonly remedy: "new_token" | "new_connection" | "other_environment" | null;
  /** True if no further request may use the connection. */
  readonly shouldRetireConnection: boolean;
  /** The state of our token; `unknown` if no response shows it. */
  readonly tokenState: "accepted" | "refused" | "unknown";
}

interface ApnsReceivedResponse extends ApnsResponseContext, ReceivedResponse {
  readonly body: ApnsResponseBody;
}

const MINUTE_MS = 60 * 1000;
/** The bounds of the wait after too many token updates. Within them, the wait lasts until our token may be replaced. */
const TOKEN_UPDATES_WAIT_MS = { min: 5 * MINUTE_MS, max: 20 * MINUTE_MS };
const CLOCK_HINT = ": check the clock of this server";
const UUID_PATTERN = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu;

const { toGone, toMismatched, toRefused, toRejected, toSuspect, toThrottled, toTransient } =
  createOutcomeFactories(toReason);

/**
 * Returns the meaning of a response for the message, the device, our token and the connection (Apple, "Handling
 * notification responses from APNs"). A reason that Apple adds later never removes a device.
 */
export function interpretResponse(
  response: PushServiceResponse,
  context: ApnsResponseContext,
): ApnsInterpretation {
  const { status, headers, body } = response;
  if (status >= 200 && status < 300) return toFinal(toAccepted(headers));
  const received: ApnsReceivedResponse = {
    ...context,
    status,
    headers,
    body: parseResponseBody(body),
  };
  if (status >= 500) return interpretServerError(received);
  switch (status) {
    case 400:
      return interpretBadRequest(received);
    case 401:
    case 403:
      return interpretRefusedToken(received);
    case 410:
      return toFinal(toUnregistered(received));
    case 413:
      return toFinal(toRejected(received, "payload_too_large"));
    case 429:
      return interpretThrottling(received);
    case 408:
      return toInconclusive(toTransient(received));
    default:
      // APNs sends no other status below 400.
      return status < 400
        ? toInconclusive(toTransient(received))
        : toFinal(toRejected(received, "rejected"));
  }
}

function interpretBadRequest(received: ApnsReceivedResponse): ApnsInterpretation {
  switch (received.body.reason) {
    case "BadDeviceToken":
      return { ...toFinal(toGone(received, "device_invalid")), remedy: "other_environment" };
    case "DeviceTokenNotForTopic":
      return toFinal(toMismatched(received));
    case "TopicDisallowed":
    case "BadTopic":
    case "MissingTopic":
      return toFinal(toRefused(received));
    case "IdleTimeout":
      return {
        ...toInconclusive(toTransient(received)),
        ...createConnectionRetirement("new_connection"),
      };
    case null:
    default:
      // A bug in Tocsin: every retry would fail the same way.
      return toFinal(toRejected(received, "rejected"));
  }
}

/** Interprets the refusal of our token. A connection that received a bad token may refuse good ones afterwards. */
function interpretRefusedToken(received: ApnsReceivedResponse): ApnsInterpretation {
  const tokenState = "refused";
  switch (received.body.reason) {
    case "ExpiredProviderToken":
      return {
        outcome: toExpiredToken(received),
        tokenState,
        ...createConnectionRetirement("new_token"),
      };
    case "UnrelatedKeyIdInToken":
      return {
        outcome: toRefused(received),
        tokenState,
        ...createConnectionRetirement("new_connection"),
      };
    case null:
    default:
      return {
        outcome: toRefused(received),
        tokenState,
        remedy: null,
        shouldRetireConnection: false,
      };
  }
}

function interpretThrottling(received: ApnsReceivedResponse): ApnsInterpretation {
  if (received.body.reason !== "TooManyProviderTokenUpdates") return toFinal(toThrottled(received));
  const { min, max } = TOKEN_UPDATES_WAIT_MS;
  const afterMs = Math.min(Math.max(min, received.getRenewalWaitMs()), max);
  const outcome: Outcome = { ...toThrottled(received), afterMs, affectsAllDevices: true };
  return { outcome, tokenState: "refused", ...createConnectionRetirement(null) };
}

function interpretServerError(received: ApnsReceivedResponse): ApnsInterpretation {
  const interpretation = toInconclusive(toTransient(received));
  return received.body.reason === "Shutdown"
    ? { ...interpretation, ...createConnectionRetirement(null) }
    : interpretation;
}

function toFinal(outcome: Outcome): ApnsInterpretation {
  return { outcome, remedy: null, shouldRetireConnection: false, tokenState: "accepted" };
}

/** Returns an interpretation that leaves the token's state open, because a proxy may have sent the response. */
function toInconclusive(outcome: Outcome): ApnsInterpretation {
  return { ...toFinal(outcome), tokenState: "unknown" };
}

function createConnectionRetirement<R extends ApnsInterpretation["remedy"]>(remedy: R) {
  return { remedy, shouldRetireConnection: true } as const;
}

function toAccepted(headers: PushResponseHeaders): Outcome {
  const id = headers["apns-id"];
  return { kind: "accepted", receipt: typeof id === "string" && UUID_PATTERN.test(id) ? id : null };
}

/**
 * Returns `gone` as of Apple's timestamp, but never later than the request, so that a device that registered since then
 * is kept. Returns a doubtful retry if Apple gives another reason than those for a device that is gone.
 */
function toUnregistered(received: ApnsReceivedResponse): Outcome {
  const { reason, timestamp } = received.body;
  if (reason !== "Unregistered" && reason !== "ExpiredToken") return toSuspect(received);
  return {
    ...toGone(received, "device_gone"),
    goneAt: Math.min(timestamp ?? Infinity, received.requestedAt),
  };
}

function toExpiredToken(received: ApnsReceivedResponse): Outcome {
  const { code, detail } = toReason(received, "provider_misconfigured");
  return { ...toRefused(received), reason: { code, detail: `${detail}${CLOCK_HINT}` } };
}

function toReason({ status, body }: ApnsReceivedResponse, code: ReasonCode) {
  const { reason } = body;
  return { code, detail: `Apple answered ${status}${reason === null ? "" : ` ${reason}`}` };
}
