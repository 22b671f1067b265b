import { doubt, outcomesOf, type AnswerCase } from "../outcomes.ts";
import type { Outcome, ReasonCode } from "../provider.ts";
import { readAnswerBody } from "./answer-body.ts";
import type { WebPushAnswerBody } from "./answer-body.ts";
import type { Answer, AnswerHeaders } from "../post.ts";

export interface WebPushAnswerContext {
  readonly host: string;
  /** A vendor or the operator named the host, so its answer about our credentials concerns more than one device. */
  readonly isVouchedFor: boolean;
  /** When the request was made. A device that registered later is not the one that is gone. */
  readonly askedAt: number;
  readonly now: number;
}

/** The meaning of an answer, and a remedy that may be tried once before it is final. */
export interface WebPushJudgement {
  readonly outcome: Outcome;
  readonly remedy: "fresh_token" | "short_form" | null;
}

interface WebPushAnswerCase extends WebPushAnswerContext, AnswerCase {
  readonly said: WebPushAnswerBody;
}

const FAULTS_OF_OURS: ReadonlySet<string> = new Set([
  "BadPath",
  "BadTtl",
  "BadUrgency",
  "BadWebPushRequest",
  "BadWebPushTopic",
  "MethodNotAllowed",
  "PayloadTooLarge",
]);
const CREDENTIAL_FAULTS: ReadonlySet<string> = new Set([
  "BadAuthorizationHeader",
  "BadVapidPublicKey",
]);
/** Mozilla's autopush: missing or bad headers, encryption, TTL and topic. */
const ERRNOS_OF_OURS: ReadonlySet<number> = new Set([101, 108, 110, 111, 112, 113]);

const { gone, refused, rejected, suspect, throttled, transient } = outcomesOf(reasonOf);

/** Returns what an answer means for the message, the device and our credentials. */
export function judgeAnswer(answer: Answer, context: WebPushAnswerContext): WebPushJudgement {
  const { status, headers, body } = answer;
  if (status >= 200 && status < 300) return final(accepted(headers));
  const known: WebPushAnswerCase = { ...context, status, headers, said: readAnswerBody(body) };
  if (status >= 300 && status < 400) return final(suspect(known));
  if (status >= 500) return final(transient(known));
  switch (status) {
    case 400:
      return judgeBadRequest(known);
    case 401:
    case 403:
      return judgeCredentials(known);
    case 404:
      return final(known.said.isGone ? gone(known, "device_gone") : suspect(known));
    case 410:
      return final(gone(known, "device_gone"));
    case 408:
      return final(transient(known));
    case 406: // Windows' push service answers so in place of 429.
    case 429:
      return final(throttled(known));
    case 413:
      return { outcome: rejected(known, "payload_too_large"), remedy: "short_form" };
    default:
      return known.said.reason === null ? final(suspect(known)) : judgeReason(known);
  }
}

function judgeBadRequest(known: WebPushAnswerCase): WebPushJudgement {
  const { isForeignKey, isGone, reason, errno } = known.said;
  if (isForeignKey) return final(gone(known, "subscription_key_changed"));
  if (isGone) return final(gone(known, "device_gone"));
  if (reason !== null) return judgeReason(known);
  if (errno !== null && ERRNOS_OF_OURS.has(errno)) return final(rejected(known, "rejected"));
  return final(suspect(known));
}

/** Judges Apple's reasons, whatever their status. */
function judgeReason(known: WebPushAnswerCase): WebPushJudgement {
  const reason = known.said.reason ?? "";
  if (reason === "BadJwtToken") return judgeCredentials(known);
  if (CREDENTIAL_FAULTS.has(reason)) return final(unauthorized(known));
  if (FAULTS_OF_OURS.has(reason)) return final(rejected(known, "rejected"));
  return final(transient(known));
}

function judgeCredentials(known: WebPushAnswerCase): WebPushJudgement {
  if (known.said.isForeignKey) return final(gone(known, "subscription_key_changed"));
  return { outcome: unauthorized(known), remedy: "fresh_token" };
}

function final(outcome: Outcome): WebPushJudgement {
  return { outcome, remedy: null };
}

/** Keeps Apple's id, which its support asks for. The `Location` of other services is a capability, so it is dropped. */
function accepted(headers: AnswerHeaders): Outcome {
  const id = headers["apns-id"];
  return {
    kind: "accepted",
    receipt: typeof id === "string" && id !== "" ? id.slice(0, 64) : null,
  };
}

/** A single unknown server must not be able to stop all other sends. */
function unauthorized(known: WebPushAnswerCase): Outcome {
  if (known.isVouchedFor) return { ...refused(known), mayBeDevice: true };
  return doubt(reasonOf(known, "provider_misconfigured"));
}

function reasonOf({ host, status, said }: WebPushAnswerCase, code: ReasonCode) {
  const hint = said.reason ?? (said.errno === null ? null : `errno ${said.errno}`);
  return { code, detail: `${host} answered ${status}${hint === null ? "" : ` ${hint}`}` };
}
