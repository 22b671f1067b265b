import type { MismatchVerdict } from "../mismatch-share.ts";
import { outcomesOf, type AnswerCase } from "../outcomes.ts";
import type { Answer, AnswerHeaders } from "../post.ts";
import type { Outcome, ReasonCode } from "../provider.ts";
import { readAnswerBody } from "./answer-body.ts";
import type { ApnsAnswerBody } from "./answer-body.ts";

export interface ApnsAnswerContext {
  /** When the request was made. A device that registered later is not the one that is gone. */
  readonly askedAt: number;
  readonly now: number;
  /** How long until our token may be replaced. */
  readonly msToRenewal: number;
  /** Counts a device of another app, and returns whether the device or our settings are at fault. */
  readonly judgeMismatch: () => MismatchVerdict;
}

/** The meaning of a response, and a remedy to try before it is final. */
export interface ApnsJudgement {
  readonly outcome: Outcome;
  readonly remedy: "new_token" | "new_connection" | "other_environment" | null;
  /** True if the connection must not be used again. */
  readonly isConnectionSpent: boolean;
  /** The state of our token according to the response; `unknown` without one. */
  readonly token: "taken" | "refused" | "unknown";
}

interface ApnsAnswerCase extends ApnsAnswerContext, AnswerCase {
  readonly body: ApnsAnswerBody;
}

const MINUTE_MS = 60 * 1000;
/** Bounds of the wait after too many token updates. Within them, it lasts until our token may be replaced. */
const TOKEN_UPDATES_WAIT_MS = { min: 5 * MINUTE_MS, max: 20 * MINUTE_MS };
const CLOCK_HINT = ": check the clock of this server";
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu;

const { gone, mismatched, refused, rejected, suspect, throttled, transient } = outcomesOf(reasonOf);

/**
 * Returns the meaning of a response for the message, the device, our token and the connection (Apple, "Handling
 * notification responses from APNs"). A reason that Apple adds later never removes a device.
 */
export function judgeAnswer(answer: Answer, context: ApnsAnswerContext): ApnsJudgement {
  const { status, headers, body } = answer;
  if (status >= 200 && status < 300) return final(accepted(headers));
  const received: ApnsAnswerCase = { ...context, status, headers, body: readAnswerBody(body) };
  if (status >= 500) return judgeServerError(received);
  switch (status) {
    case 400:
      return judgeBadRequest(received);
    case 401:
    case 403:
      return judgeCredentials(received);
    case 410:
      return final(unregistered(received));
    case 413:
      return final(rejected(received, "payload_too_large"));
    case 429:
      return judgeThrottle(received);
    case 408:
      return inconclusive(transient(received));
    default:
      // APNs sends no other status below 400.
      return status < 400
        ? inconclusive(transient(received))
        : final(rejected(received, "rejected"));
  }
}

function judgeBadRequest(received: ApnsAnswerCase): ApnsJudgement {
  switch (received.body.reason) {
    case "BadDeviceToken":
      return { ...final(gone(received, "device_invalid")), remedy: "other_environment" };
    case "DeviceTokenNotForTopic":
      return final(mismatched(received));
    case "TopicDisallowed":
    case "BadTopic":
    case "MissingTopic":
      return final(refused(received));
    case "IdleTimeout":
      return { ...inconclusive(transient(received)), ...spentConnection("new_connection") };
    case null:
    default:
      // A bug in Tocsin: every retry would fail the same way.
      return final(rejected(received, "rejected"));
  }
}

/** Interprets a refused token. A connection that received a bad token may refuse good ones afterwards. */
function judgeCredentials(received: ApnsAnswerCase): ApnsJudgement {
  const token = "refused";
  switch (received.body.reason) {
    case "ExpiredProviderToken":
      return { outcome: expiredToken(received), token, ...spentConnection("new_token") };
    case "UnrelatedKeyIdInToken":
      return { outcome: refused(received), token, ...spentConnection("new_connection") };
    case null:
    default:
      return { outcome: refused(received), token, remedy: null, isConnectionSpent: false };
  }
}

function judgeThrottle(received: ApnsAnswerCase): ApnsJudgement {
  if (received.body.reason !== "TooManyProviderTokenUpdates") return final(throttled(received));
  const { min, max } = TOKEN_UPDATES_WAIT_MS;
  const afterMs = Math.min(Math.max(min, received.msToRenewal), max);
  const outcome: Outcome = { ...throttled(received), afterMs, isForAll: true };
  return { outcome, token: "refused", ...spentConnection(null) };
}

function judgeServerError(received: ApnsAnswerCase): ApnsJudgement {
  const judgement = inconclusive(transient(received));
  return received.body.reason === "Shutdown"
    ? { ...judgement, ...spentConnection(null) }
    : judgement;
}

function final(outcome: Outcome): ApnsJudgement {
  return { outcome, remedy: null, isConnectionSpent: false, token: "taken" };
}

/** Returns a judgement that leaves the token's state open, because a proxy may have sent the response. */
function inconclusive(outcome: Outcome): ApnsJudgement {
  return { ...final(outcome), token: "unknown" };
}

function spentConnection<R extends ApnsJudgement["remedy"]>(remedy: R) {
  return { remedy, isConnectionSpent: true } as const;
}

function accepted(headers: AnswerHeaders): Outcome {
  const id = headers["apns-id"];
  return { kind: "accepted", receipt: typeof id === "string" && UUID.test(id) ? id : null };
}

/** Returns `gone` as of Apple's timestamp, which is deliberately late. A device that registered since then is kept. */
function unregistered(received: ApnsAnswerCase): Outcome {
  const { reason, timestamp } = received.body;
  if (reason !== "Unregistered" && reason !== "ExpiredToken") return suspect(received);
  return {
    ...gone(received, "device_gone"),
    asOf: Math.min(timestamp ?? Infinity, received.askedAt),
  };
}

function expiredToken(received: ApnsAnswerCase): Outcome {
  const { code, detail } = reasonOf(received, "provider_misconfigured");
  return { ...refused(received), reason: { code, detail: `${detail}${CLOCK_HINT}` } };
}

function reasonOf({ status, body }: ApnsAnswerCase, code: ReasonCode) {
  const { reason } = body;
  return { code, detail: `Apple answered ${status}${reason === null ? "" : ` ${reason}`}` };
}
