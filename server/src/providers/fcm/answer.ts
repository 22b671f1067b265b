import type { MismatchVerdict } from "../mismatch-share.ts";
import { outcomesOf, type AnswerCase } from "../outcomes.ts";
import type { Outcome, Reason, ReasonCode } from "../provider.ts";
import { readErrorBody } from "./error-body.ts";
import type { ErrorBody } from "./error-body.ts";
import { isHtml, parseObject } from "../json.ts";
import type { Answer } from "../post.ts";

export interface FcmAnswerContext {
  /** When the attempt began. A device that registered later is not the one that is gone. */
  readonly askedAt: number;
  readonly now: number;
  /** FCM has accepted a message before, so an invalid token or FID must be the device's fault. */
  readonly isPayloadProven: boolean;
  /** Counts a token of another project, and returns whether the device or our settings are at fault. */
  readonly judgeMismatch: () => MismatchVerdict;
}

/** The meaning of a response. If the access token is stale, a new one is tried once before it is final. */
export interface FcmJudgement {
  readonly outcome: Outcome;
  readonly isTokenStale: boolean;
}

interface FcmAnswerCase extends FcmAnswerContext, AnswerCase {
  /** Null if a proxy answered: it knows nothing about our devices and credentials. */
  readonly error: ErrorBody | null;
}

interface FcmErrorCase extends FcmAnswerCase {
  readonly error: ErrorBody;
}

/** Google's recommended wait if a quota error names none. */
const QUOTA_WAIT_MS = 60 * 1000;
const RECEIPT_MAX_LENGTH = 128;

const { gone, mismatched, refused, rejected, suspect, throttled, transient } = outcomesOf(reasonOf);

/** Returns the meaning of an FCM response for the message, the device and our credentials. */
export function judgeAnswer(answer: Answer, context: FcmAnswerContext): FcmJudgement {
  const { status, headers, body } = answer;
  const isAccepted = status >= 200 && status < 300 && !isHtml(body);
  if (isAccepted) return final(accepted(body));
  const error = readErrorBody(body);
  const received: FcmAnswerCase = { ...context, status, headers, error };
  if (status === 429) return final(overQuota(received));
  if (error === null) return final(transient(received));
  return judgeError({ ...received, error });
}

function judgeError(received: FcmErrorCase): FcmJudgement {
  const { status, error } = received;
  switch (status) {
    case 400:
      return final(judgeInvalid(received));
    case 401:
      // The project lacks a credential for iOS or the web, which only devices of that kind need.
      if (error.fcmCode !== null) return final({ ...refused(received), mayBeDevice: true });
      return { outcome: refused(received), isTokenStale: true };
    case 403:
      return final(
        error.fcmCode === "SENDER_ID_MISMATCH" ? mismatched(received) : refused(received),
      );
    case 404:
      return final(judgeNotFound(received));
    default:
      return final(transient(received));
  }
}

function judgeInvalid(received: FcmErrorCase): Outcome {
  const { error, isPayloadProven } = received;
  if (error.isTooBig) return rejected(received, "payload_too_large");
  if (error.fcmCode === "INVALID_ARGUMENT" && error.isAboutTarget) {
    return isPayloadProven ? gone(received, "device_invalid") : suspect(received);
  }
  const [field] = error.wrongFields;
  const { code, detail } = reasonOf(received, "rejected");
  const reason = { code, detail: field === undefined ? detail : `${detail}: ${field}` };
  return { ...rejected(received, code), reason };
}

/** Returns the outcome of a 404. Without an FCM code, the project was not found. */
function judgeNotFound(received: FcmErrorCase): Outcome {
  const { fcmCode } = received.error;
  if (fcmCode === "UNREGISTERED") return gone(received, "device_gone");
  return fcmCode === null ? refused(received) : transient(received);
}

function final(outcome: Outcome): FcmJudgement {
  return { outcome, isTokenStale: false };
}

function accepted(body: string): Outcome {
  const name = parseObject(body)?.["name"];
  const id = typeof name === "string" ? name.slice(name.lastIndexOf("/") + 1) : "";
  return { kind: "accepted", receipt: id === "" ? null : id.slice(0, RECEIPT_MAX_LENGTH) };
}

function overQuota(received: FcmAnswerCase): Outcome {
  const outcome = throttled(received);
  const isForAll = received.error === null || !received.error.isDeviceQuota;
  return { ...outcome, afterMs: outcome.afterMs ?? QUOTA_WAIT_MS, isForAll };
}

function reasonOf({ status, error }: FcmAnswerCase, code: ReasonCode): Reason {
  const codes = [error?.fcmCode ?? error?.status, error?.reason];
  return { code, detail: ["FCM answered", status, ...codes.filter(Boolean)].join(" ") };
}
