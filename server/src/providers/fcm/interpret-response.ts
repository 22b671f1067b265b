import type { MismatchCause } from "../mismatch-classifier.ts";
import { createOutcomeFactories, type ReceivedResponse } from "../outcomes.ts";
import type { Outcome, Reason, ReasonCode } from "../provider.ts";
import { parseErrorBody, type FcmErrorBody } from "./error-body.ts";
import { isHtml, parseJsonObject } from "../json.ts";
import type { PushServiceResponse } from "../post.ts";

/** The request that a response belongs to. */
export interface FcmResponseContext {
  /** The start of the attempt. A device that registered after it must not be treated as gone. */
  readonly requestedAt: number;
  readonly now: number;
  /** True if FCM has accepted a message before, so that only the device can be the cause of an invalid token or FID. */
  readonly isPayloadProven: boolean;
  /** Counts a token of another project, and returns whether the device or our settings are at fault. */
  readonly classifyMismatch: () => MismatchCause;
}

/**
 * The meaning of a response. If the access token is stale, the request is repeated once with a new token before the
 * outcome is final.
 */
export interface FcmInterpretation {
  readonly outcome: Outcome;
  readonly isAccessTokenStale: boolean;
}

interface FcmReceivedResponse extends FcmResponseContext, ReceivedResponse {
  /** The error that FCM sent; null if a proxy responded, which knows nothing about our devices and credentials. */
  readonly error: FcmErrorBody | null;
}

interface FcmReceivedError extends FcmReceivedResponse {
  readonly error: FcmErrorBody;
}

/** Google's recommended wait if a quota error names none. */
const QUOTA_WAIT_MS = 60 * 1000;
const RECEIPT_LENGTH_MAX = 128;

const { toGone, toMismatched, toRefused, toRejected, toSuspect, toThrottled, toTransient } =
  createOutcomeFactories(toReason);

/** Interprets an FCM response: its meaning for the message, the device and our credentials. */
export function interpretResponse(
  response: PushServiceResponse,
  context: FcmResponseContext,
): FcmInterpretation {
  const { status, headers, body } = response;
  const isAccepted = status >= 200 && status < 300 && !isHtml(body);
  if (isAccepted) return toFinalInterpretation(toAccepted(body));
  const error = parseErrorBody(body);
  const received: FcmReceivedResponse = { ...context, status, headers, error };
  if (status === 429) return toFinalInterpretation(toQuotaExceeded(received));
  if (error === null) return toFinalInterpretation(toTransient(received));
  return interpretError({ ...received, error });
}

function interpretError(received: FcmReceivedError): FcmInterpretation {
  const { status, error } = received;
  switch (status) {
    case 400:
      return toFinalInterpretation(interpretInvalidArgument(received));
    case 401:
      // The project lacks a credential that only its iOS devices, or only its browsers, need.
      if (error.fcmCode !== null)
        return toFinalInterpretation({ ...toRefused(received), mayConcernOnlyDevice: true });
      return { outcome: toRefused(received), isAccessTokenStale: true };
    case 403:
      return toFinalInterpretation(
        error.fcmCode === "SENDER_ID_MISMATCH" ? toMismatched(received) : toRefused(received),
      );
    case 404:
      return toFinalInterpretation(interpretNotFound(received));
    default:
      return toFinalInterpretation(toTransient(received));
  }
}

function interpretInvalidArgument(received: FcmReceivedError): Outcome {
  const { error, isPayloadProven } = received;
  if (error.isTooLarge) return toRejected(received, "payload_too_large");
  if (error.fcmCode === "INVALID_ARGUMENT" && error.isAboutTarget) {
    return isPayloadProven ? toGone(received, "device_invalid") : toSuspect(received);
  }
  const [field] = error.invalidFields;
  const { code, detail } = toReason(received, "rejected");
  const reason = { code, detail: field === undefined ? detail : `${detail}: ${field}` };
  return { ...toRejected(received, code), reason };
}

/** Returns the outcome of a 404. Without an FCM code, the project was not found. */
function interpretNotFound(received: FcmReceivedError): Outcome {
  const { fcmCode } = received.error;
  if (fcmCode === "UNREGISTERED") return toGone(received, "device_gone");
  return fcmCode === null ? toRefused(received) : toTransient(received);
}

function toFinalInterpretation(outcome: Outcome): FcmInterpretation {
  return { outcome, isAccessTokenStale: false };
}

function toAccepted(body: string): Outcome {
  const name = parseJsonObject(body)?.["name"];
  const id = typeof name === "string" ? name.slice(name.lastIndexOf("/") + 1) : "";
  return { kind: "accepted", receipt: id === "" ? null : id.slice(0, RECEIPT_LENGTH_MAX) };
}

function toQuotaExceeded(received: FcmReceivedResponse): Outcome {
  const outcome = toThrottled(received);
  const affectsAllDevices = received.error === null || !received.error.isDeviceQuota;
  return { ...outcome, afterMs: outcome.afterMs ?? QUOTA_WAIT_MS, affectsAllDevices };
}

function toReason({ status, error }: FcmReceivedResponse, code: ReasonCode): Reason {
  const codes = [error?.fcmCode ?? error?.status, error?.reason];
  return { code, detail: ["FCM answered", status, ...codes.filter(Boolean)].join(" ") };
}
