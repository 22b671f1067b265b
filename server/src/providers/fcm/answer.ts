import type { MismatchVerdict } from "../mismatch-share.ts";
import type { Outcome, Reason, ReasonCode } from "../provider.ts";
import { readErrorBody } from "./error-body.ts";
import type { ErrorBody } from "./error-body.ts";
import { isHtml, parseObject } from "./json.ts";
import type { Answer, AnswerHeaders } from "../post.ts";
import { retryAfterMs } from "../retry-after.ts";

export interface FcmAnswerContext {
  /** When the attempt began. A device that registered later is not the one that is gone. */
  readonly askedAt: number;
  readonly now: number;
  /** FCM accepted a message of ours before, so a field that it rejects now must be the device's. */
  readonly isPayloadProven: boolean;
  /** Counts a token of another project, and returns what is at fault. */
  readonly judgeMismatch: () => MismatchVerdict;
}

/** The meaning of an answer. If the access token is stale, another one is tried once before it is final. */
export interface FcmJudgement {
  readonly outcome: Outcome;
  readonly isTokenStale: boolean;
}

interface FcmAnswerCase extends FcmAnswerContext {
  readonly status: number;
  readonly headers: AnswerHeaders;
}

interface SaidCase extends FcmAnswerCase {
  readonly said: ErrorBody;
}

/** How long to wait before a suspected device is tried again. */
const DOUBT_WAIT_MS = 60 * 60 * 1000;
/** Google's advice for a quota that names no wait. */
const QUOTA_WAIT_MS = 60 * 1000;
const MAX_RECEIPT_LENGTH = 128;

/** Returns what an FCM answer means for the message, the device and our credentials. */
export function judgeAnswer(answer: Answer, context: FcmAnswerContext): FcmJudgement {
  const { status, headers, body } = answer;
  const known: FcmAnswerCase = { ...context, status, headers };
  const said = readErrorBody(body);
  const isTaken = status >= 200 && status < 300 && !isHtml(body);
  if (isTaken) return final(accepted(body));
  if (status === 429) return final(throttled(known, said));
  // A proxy answered, which knows nothing of our devices and credentials.
  if (said === null) return final(transient(known, null));
  return judgeError({ ...known, said });
}

function judgeError(known: SaidCase): FcmJudgement {
  const { status, said } = known;
  switch (status) {
    case 400:
      return final(judgeInvalid(known));
    case 401:
      // The project lacks a credential for iOS or the web, which only devices of that kind need.
      if (said.fcmCode !== null) return final({ ...refused(known), mayBeDevice: true });
      return { outcome: refused(known), isTokenStale: true };
    case 403:
      return final(said.fcmCode === "SENDER_ID_MISMATCH" ? judgeMismatch(known) : refused(known));
    case 404:
      return final(judgeNotFound(known));
    default:
      return final(transient(known, said));
  }
}

function judgeInvalid(known: SaidCase): Outcome {
  const { said, isPayloadProven } = known;
  if (said.isTooBig) return rejected(reason("payload_too_large", known));
  if (said.fcmCode === "INVALID_ARGUMENT" && said.isAboutTarget) {
    if (isPayloadProven) return gone("device_invalid", known);
    return again(reason("suspect", known));
  }
  const [field] = said.wrongFields;
  const { code, detail } = reason("rejected", known);
  return rejected({ code, detail: field === undefined ? detail : `${detail}: ${field}` });
}

function judgeMismatch(known: SaidCase): Outcome {
  switch (known.judgeMismatch()) {
    case "settings":
      return { ...refused(known), mayBeDevice: true };
    case "device":
      return gone("device_invalid", known);
    case "unclear":
      return again(reason("provider_misconfigured", known));
  }
}

/** Without an FCM code, the project was not found. */
function judgeNotFound(known: SaidCase): Outcome {
  const { fcmCode } = known.said;
  if (fcmCode === "UNREGISTERED") return gone("device_gone", known);
  return fcmCode === null ? refused(known) : transient(known, known.said);
}

function final(outcome: Outcome): FcmJudgement {
  return { outcome, isTokenStale: false };
}

function accepted(body: string): Outcome {
  const name = parseObject(body)?.["name"];
  const id = typeof name === "string" ? name.slice(name.lastIndexOf("/") + 1) : "";
  return { kind: "accepted", receipt: id === "" ? null : id.slice(0, MAX_RECEIPT_LENGTH) };
}

function gone(code: ReasonCode, known: SaidCase): Outcome {
  return { kind: "gone", asOf: known.askedAt, reason: reason(code, known) };
}

function rejected(why: Reason): Outcome {
  return { kind: "rejected", reason: why };
}

function refused(known: SaidCase): Outcome & { readonly kind: "refused" } {
  return { kind: "refused", reason: reason("provider_misconfigured", known) };
}

function again(why: Reason): Outcome {
  return { kind: "retry", reason: why, afterMs: DOUBT_WAIT_MS, counted: true };
}

function throttled(known: FcmAnswerCase, said: ErrorBody | null): Outcome {
  return {
    kind: "retry",
    reason: reason("rate_limited", { ...known, said }),
    afterMs: askedWait(known) ?? QUOTA_WAIT_MS,
    counted: true,
    isForAll: said === null || !said.isDeviceQuota,
  };
}

function transient(known: FcmAnswerCase, said: ErrorBody | null): Outcome {
  const why = reason("transient", { ...known, said });
  return { kind: "retry", reason: why, afterMs: askedWait(known), counted: true };
}

function askedWait({ headers, now }: FcmAnswerCase): number | null {
  return retryAfterMs(headers["retry-after"], now);
}

function reason(
  code: ReasonCode,
  { status, said }: { readonly status: number; readonly said: ErrorBody | null },
): Reason {
  const words = [said?.fcmCode ?? said?.status, said?.reason];
  return { code, detail: ["FCM answered", status, ...words.filter(Boolean)].join(" ") };
}
