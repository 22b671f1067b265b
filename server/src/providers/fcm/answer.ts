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

interface FcmAnswerCase extends FcmAnswerContext, AnswerCase {
  /** Null if a proxy answered, which knows nothing of our devices and credentials. */
  readonly said: ErrorBody | null;
}

interface SaidCase extends FcmAnswerCase {
  readonly said: ErrorBody;
}

/** Google's advice for a quota that names no wait. */
const QUOTA_WAIT_MS = 60 * 1000;
const MAX_RECEIPT_LENGTH = 128;

const { gone, mismatched, refused, rejected, suspect, throttled, transient } = outcomesOf(reasonOf);

/** Returns what an FCM answer means for the message, the device and our credentials. */
export function judgeAnswer(answer: Answer, context: FcmAnswerContext): FcmJudgement {
  const { status, headers, body } = answer;
  const isTaken = status >= 200 && status < 300 && !isHtml(body);
  if (isTaken) return final(accepted(body));
  const said = readErrorBody(body);
  const known: FcmAnswerCase = { ...context, status, headers, said };
  if (status === 429) return final(overQuota(known));
  if (said === null) return final(transient(known));
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
      return final(said.fcmCode === "SENDER_ID_MISMATCH" ? mismatched(known) : refused(known));
    case 404:
      return final(judgeNotFound(known));
    default:
      return final(transient(known));
  }
}

function judgeInvalid(known: SaidCase): Outcome {
  const { said, isPayloadProven } = known;
  if (said.isTooBig) return rejected(known, "payload_too_large");
  if (said.fcmCode === "INVALID_ARGUMENT" && said.isAboutTarget) {
    return isPayloadProven ? gone(known, "device_invalid") : suspect(known);
  }
  const [field] = said.wrongFields;
  const { code, detail } = reasonOf(known, "rejected");
  const reason = { code, detail: field === undefined ? detail : `${detail}: ${field}` };
  return { ...rejected(known, code), reason };
}

/** Without an FCM code, the project was not found. */
function judgeNotFound(known: SaidCase): Outcome {
  const { fcmCode } = known.said;
  if (fcmCode === "UNREGISTERED") return gone(known, "device_gone");
  return fcmCode === null ? refused(known) : transient(known);
}

function final(outcome: Outcome): FcmJudgement {
  return { outcome, isTokenStale: false };
}

function accepted(body: string): Outcome {
  const name = parseObject(body)?.["name"];
  const id = typeof name === "string" ? name.slice(name.lastIndexOf("/") + 1) : "";
  return { kind: "accepted", receipt: id === "" ? null : id.slice(0, MAX_RECEIPT_LENGTH) };
}

function overQuota(known: FcmAnswerCase): Outcome {
  const outcome = throttled(known);
  const isForAll = known.said === null || !known.said.isDeviceQuota;
  return { ...outcome, afterMs: outcome.afterMs ?? QUOTA_WAIT_MS, isForAll };
}

function reasonOf({ status, said }: FcmAnswerCase, code: ReasonCode): Reason {
  const words = [said?.fcmCode ?? said?.status, said?.reason];
  return { code, detail: ["FCM answered", status, ...words.filter(Boolean)].join(" ") };
}
