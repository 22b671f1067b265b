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
  /** How long our token may not be replaced yet. */
  readonly msToRenewal: number;
  /** Counts a device that belongs to another app, and returns what is at fault. */
  readonly judgeMismatch: () => MismatchVerdict;
}

/** The meaning of an answer, and a remedy that may be tried before it is final. */
export interface ApnsJudgement {
  readonly outcome: Outcome;
  readonly remedy: "new_token" | "new_connection" | "other_environment" | null;
  /** True if the connection must take no further request. */
  readonly isConnectionSpent: boolean;
  /** The state of our token by the answer; `unknown` without an answer. */
  readonly token: "taken" | "refused" | "unknown";
}

interface ApnsAnswerCase extends ApnsAnswerContext, AnswerCase {
  readonly said: ApnsAnswerBody;
}

const MINUTE_MS = 60 * 1000;
/** How long to rest a connection that saw too many tokens: at most until ours may be replaced. */
const TOKEN_UPDATES_WAIT_MS = { least: 5 * MINUTE_MS, most: 20 * MINUTE_MS };
const CLOCK_HINT = ": check the clock of this server";
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu;

const { gone, mismatched, refused, rejected, suspect, throttled, transient } = outcomesOf(reasonOf);

/**
 * Returns what an answer means for the message, the device, our token and the connection (Apple, "Handling notification
 * responses from APNs"). A reason that Apple adds later never removes a device.
 */
export function judgeAnswer(answer: Answer, context: ApnsAnswerContext): ApnsJudgement {
  const { status, headers, body } = answer;
  if (status >= 200 && status < 300) return final(accepted(headers));
  const known: ApnsAnswerCase = { ...context, status, headers, said: readAnswerBody(body) };
  if (status >= 500) return judgeTrouble(known);
  switch (status) {
    case 400:
      return judgeBadRequest(known);
    case 401:
    case 403:
      return judgeCredentials(known);
    case 410:
      return final(unregistered(known));
    case 413:
      return final(rejected(known, "payload_too_large"));
    case 429:
      return judgeThrottle(known);
    case 408:
      return aboutNothing(transient(known));
    default:
      // APNs answers with no other status below 400.
      return status < 400 ? aboutNothing(transient(known)) : final(rejected(known, "rejected"));
  }
}

function judgeBadRequest(known: ApnsAnswerCase): ApnsJudgement {
  switch (known.said.reason) {
    case "BadDeviceToken":
      return { ...final(gone(known, "device_invalid")), remedy: "other_environment" };
    case "DeviceTokenNotForTopic":
      return final(mismatched(known));
    case "TopicDisallowed":
    case "BadTopic":
    case "MissingTopic":
      return final(refused(known));
    case "IdleTimeout":
      return { ...aboutNothing(transient(known)), ...spent("new_connection") };
    case null:
    default:
      // A fault of ours, which every repetition would hit again.
      return final(rejected(known, "rejected"));
  }
}

/** A connection that saw one bad token may refuse good ones afterwards. */
function judgeCredentials(known: ApnsAnswerCase): ApnsJudgement {
  const token = "refused";
  switch (known.said.reason) {
    case "ExpiredProviderToken":
      return { outcome: outdated(known), token, ...spent("new_token") };
    case "UnrelatedKeyIdInToken":
      return { outcome: refused(known), token, ...spent("new_connection") };
    case null:
    default:
      return { outcome: refused(known), token, remedy: null, isConnectionSpent: false };
  }
}

function judgeThrottle(known: ApnsAnswerCase): ApnsJudgement {
  if (known.said.reason !== "TooManyProviderTokenUpdates") return final(throttled(known));
  const { least, most } = TOKEN_UPDATES_WAIT_MS;
  const afterMs = Math.min(Math.max(least, known.msToRenewal), most);
  const outcome: Outcome = { ...throttled(known), afterMs, isForAll: true };
  return { outcome, token: "refused", ...spent(null) };
}

function judgeTrouble(known: ApnsAnswerCase): ApnsJudgement {
  const judgement = aboutNothing(transient(known));
  return known.said.reason === "Shutdown" ? { ...judgement, ...spent(null) } : judgement;
}

function final(outcome: Outcome): ApnsJudgement {
  return { outcome, remedy: null, isConnectionSpent: false, token: "taken" };
}

/** Returns a judgement that says nothing about the token, because a proxy may have answered. */
function aboutNothing(outcome: Outcome): ApnsJudgement {
  return { ...final(outcome), token: "unknown" };
}

function spent<R extends ApnsJudgement["remedy"]>(remedy: R) {
  return { remedy, isConnectionSpent: true } as const;
}

function accepted(headers: AnswerHeaders): Outcome {
  const id = headers["apns-id"];
  return { kind: "accepted", receipt: typeof id === "string" && UUID.test(id) ? id : null };
}

/** Apple's timestamp is deliberately late. A device that registered again since then is kept. */
function unregistered(known: ApnsAnswerCase): Outcome {
  const { reason, timestamp } = known.said;
  if (reason !== "Unregistered" && reason !== "ExpiredToken") return suspect(known);
  return { ...gone(known, "device_gone"), asOf: Math.min(timestamp ?? Infinity, known.askedAt) };
}

function outdated(known: ApnsAnswerCase): Outcome {
  const { code, detail } = reasonOf(known, "provider_misconfigured");
  return { ...refused(known), reason: { code, detail: `${detail}${CLOCK_HINT}` } };
}

function reasonOf({ status, said }: ApnsAnswerCase, code: ReasonCode) {
  const { reason } = said;
  return { code, detail: `Apple answered ${status}${reason === null ? "" : ` ${reason}`}` };
}
