import { doubt, outcomesOf, type AnswerCase } from "../outcomes.ts";
import type { Outcome, ReasonCode } from "../provider.ts";
import { readAnswerBody } from "./answer-body.ts";
import type { WebPushAnswerBody } from "./answer-body.ts";
import type { Answer, AnswerHeaders } from "../post.ts";

/** The request that an answer belongs to. */
export interface WebPushAnswerContext {
  readonly host: string;
  /** A vendor or the operator listed the host, so its answer about our credentials concerns more than one device. */
  readonly isVouchedFor: boolean;
  /** When the request was sent. A device that registered later is not gone. */
  readonly askedAt: number;
  readonly now: number;
}

/** The meaning of an answer, and a remedy to try once before the outcome is final. */
export interface WebPushAnswerMeaning {
  readonly outcome: Outcome;
  readonly remedy: "fresh_token" | "short_form" | null;
}

interface WebPushAnswerCase extends WebPushAnswerContext, AnswerCase {
  readonly parsed: WebPushAnswerBody;
}

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

const { gone, refused, rejected, suspect, throttled, transient } = outcomesOf(reasonOf);

/** Returns the meaning of an answer for the message, the device and our credentials. */
export function interpretAnswer(
  response: Answer,
  context: WebPushAnswerContext,
): WebPushAnswerMeaning {
  const { status, headers, body } = response;
  if (status >= 200 && status < 300) return final(accepted(headers));
  const answer: WebPushAnswerCase = {
    ...context,
    status,
    headers,
    parsed: readAnswerBody(body),
  };
  if (status >= 300 && status < 400) return final(suspect(answer));
  if (status >= 500) return final(transient(answer));
  switch (status) {
    case 400:
      return interpretBadRequest(answer);
    case 401:
    case 403:
      return interpretCredentials(answer);
    case 404:
      return final(answer.parsed.isGone ? gone(answer, "device_gone") : suspect(answer));
    case 410:
      return final(gone(answer, "device_gone"));
    case 408:
      return final(transient(answer));
    case 406: // Windows' push service uses 406 in place of 429.
    case 429:
      return final(throttled(answer));
    case 413:
      return { outcome: rejected(answer, "payload_too_large"), remedy: "short_form" };
    default:
      return answer.parsed.reason === null ? final(suspect(answer)) : interpretReason(answer);
  }
}

function interpretBadRequest(answer: WebPushAnswerCase): WebPushAnswerMeaning {
  const { hasOtherVapidKey, isGone, reason, errno } = answer.parsed;
  if (hasOtherVapidKey) return final(gone(answer, "subscription_key_changed"));
  if (isGone) return final(gone(answer, "device_gone"));
  if (reason !== null) return interpretReason(answer);
  if (errno !== null && BAD_REQUEST_ERRNOS.has(errno)) return final(rejected(answer, "rejected"));
  return final(suspect(answer));
}

/** Interprets Apple's reasons, independent of the status. */
function interpretReason(answer: WebPushAnswerCase): WebPushAnswerMeaning {
  const reason = answer.parsed.reason ?? "";
  if (reason === "BadJwtToken") return interpretCredentials(answer);
  if (CREDENTIAL_REASONS.has(reason)) return final(unauthorized(answer));
  if (BAD_REQUEST_REASONS.has(reason)) return final(rejected(answer, "rejected"));
  return final(transient(answer));
}

function interpretCredentials(answer: WebPushAnswerCase): WebPushAnswerMeaning {
  if (answer.parsed.hasOtherVapidKey) return final(gone(answer, "subscription_key_changed"));
  return { outcome: unauthorized(answer), remedy: "fresh_token" };
}

function final(outcome: Outcome): WebPushAnswerMeaning {
  return { outcome, remedy: null };
}

/** Keeps Apple's id, which its support asks for. Drops the `Location` of other services, because it is a capability. */
function accepted(headers: AnswerHeaders): Outcome {
  const id = headers["apns-id"];
  return {
    kind: "accepted",
    receipt: typeof id === "string" && id !== "" ? id.slice(0, 64) : null,
  };
}

/** A single unknown server must not be able to stop all other deliveries. */
function unauthorized(answer: WebPushAnswerCase): Outcome {
  if (answer.isVouchedFor) return { ...refused(answer), mayBeDevice: true };
  return doubt(reasonOf(answer, "provider_misconfigured"));
}

function reasonOf({ host, status, parsed }: WebPushAnswerCase, code: ReasonCode) {
  const hint = parsed.reason ?? (parsed.errno === null ? null : `errno ${parsed.errno}`);
  return { code, detail: `${host} answered ${status}${hint === null ? "" : ` ${hint}`}` };
}
