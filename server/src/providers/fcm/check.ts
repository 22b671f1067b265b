import type { Agent } from "undici";
import { createTrialMessage, type ProviderCheckResult } from "../check.ts";
import { createAgent } from "./agent.ts";
import { interpretResponse } from "./interpret-response.ts";
import { parseErrorBody } from "./error-body.ts";
import { FCM_URL, getSendPath, type FcmDeps } from "./fcm.ts";
import { buildRequest } from "./message.ts";
import {
  CLOCK_TOLERANCE_MS,
  TOKEN_URL,
  describeClockError,
  mintAccessToken,
  type MintResult,
} from "./mint.ts";
import { post, type PushServiceResponse } from "../post.ts";

const CHECK_TIMEOUT_MS = 15_000;
/** A token that no app has. FCM reports this only after it accepted our credentials. */
const UNKNOWN_TOKEN = "no-such-device";

const SET_CLOCK = "Set this server's clock, and synchronize it with NTP.";
const CREATE_NEW_KEY =
  "Create a new key for the service account in the Firebase console, and configure this server with it.";
const RETRY_LATER =
  "Check again in a few minutes. If the problem remains, look for a proxy between this server and Google.";

/**
 * Returns the check results: whether Google grants an access token and FCM accepts a message, and a warning if this
 * server's clock is off. Delivers nothing.
 */
export async function checkFcm(
  deps: FcmDeps,
  signal: AbortSignal,
): Promise<readonly ProviderCheckResult[]> {
  const { credentials, tokenUrl = TOKEN_URL, now, ca } = deps;
  const dispatcher = createAgent(ca);
  const deadlineSignal = AbortSignal.any([signal, AbortSignal.timeout(CHECK_TIMEOUT_MS)]);
  try {
    const mintResult = await mintAccessToken(
      { credentials, tokenUrl, dispatcher, now },
      deadlineSignal,
    );
    if (mintResult.kind === "failed") return [explainFailure(mintResult)];
    const { token } = mintResult;
    const sendingResult = await checkSending(deps, { token, dispatcher, signal: deadlineSignal });
    return [...checkClock(mintResult), sendingResult];
  } finally {
    await dispatcher.destroy();
  }
}

function checkClock({ clockErrorMs }: MintResult): readonly ProviderCheckResult[] {
  if (clockErrorMs === null || Math.abs(clockErrorMs) < CLOCK_TOLERANCE_MS) return [];
  const message = `This server's clock is ${describeClockError(clockErrorMs)}.`;
  return [createResult("warn", message, SET_CLOCK)];
}

function explainFailure({ outcome, errorCode, clockErrorMs }: FailedMint): ProviderCheckResult {
  const { code, detail } = outcome.reason;
  if (code === "unreachable") return explainUnreachable(detail ?? "");
  if (outcome.kind === "retry") return createResult("warn", `${detail}.`, RETRY_LATER);
  const isClockWrong = clockErrorMs !== null && Math.abs(clockErrorMs) >= CLOCK_TOLERANCE_MS;
  const remedy = errorCode === "invalid_grant" && isClockWrong ? SET_CLOCK : CREATE_NEW_KEY;
  return createResult("fail", `${detail}.`, remedy);
}

type FailedMint = Extract<MintResult, { readonly kind: "failed" }>;

interface TrialRequest {
  readonly token: string;
  readonly dispatcher: Agent;
  readonly signal: AbortSignal;
}

async function checkSending(
  deps: FcmDeps,
  trialRequest: TrialRequest,
): Promise<ProviderCheckResult> {
  const { credentials, url: origin = FCM_URL, now } = deps;
  const { token, dispatcher, signal } = trialRequest;
  const url = new URL(getSendPath(credentials), origin);
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const address = { provider: "fcm", kind: "token", token: UNKNOWN_TOKEN } as const;
  const trial = buildRequest({ message: createTrialMessage(now()), address, now: now() });
  const body = Buffer.from(JSON.stringify({ ...trial, validate_only: true }));
  const exchange = await post(dispatcher, { url, headers, body, signal });
  if (exchange.kind !== "answered") return explainUnreachable(url.host);
  return explainResponse(exchange.response, { projectId: credentials.projectId, now: now() });
}

function explainResponse(
  response: PushServiceResponse,
  { projectId, now }: { readonly projectId: string; readonly now: number },
): ProviderCheckResult {
  const { outcome } = interpretResponse(response, {
    requestedAt: now,
    now,
    isPayloadProven: true,
    classifyMismatch: () => "device",
  });
  if (outcome.kind === "accepted" || outcome.kind === "gone") {
    return createResult("ok", `FCM accepts messages for the project ${projectId}.`, null);
  }
  const message = `${outcome.reason.detail}.`;
  switch (outcome.kind) {
    case "refused":
      return createResult("fail", message, findRemedy(response, projectId));
    case "rejected":
      return createResult(
        "warn",
        message,
        "Send a test notification to see whether messages get through.",
      );
    case "retry":
    // Only connected apps have these outcomes.
    case "kept":
    case "skipped":
      return createResult("warn", message, RETRY_LATER);
  }
}

function findRemedy({ status, body }: PushServiceResponse, projectId: string): string {
  const reason = parseErrorBody(body)?.reason ?? null;
  if (reason === "SERVICE_DISABLED") {
    return `Enable the Firebase Cloud Messaging API for the project ${projectId} in the Google Cloud console.`;
  }
  if (reason === "CONSUMER_INVALID" || status === 404) {
    return `Check project_id in the key file: Google does not know the project ${projectId}.`;
  }
  if (reason === "BILLING_DISABLED" || reason === "CONSUMER_SUSPENDED") {
    return `Check the project ${projectId} in the Google Cloud console: Google has suspended it.`;
  }
  if (status === 403) {
    return `Give the service account the role "Firebase Cloud Messaging API Admin" in the project ${projectId}.`;
  }
  return CREATE_NEW_KEY;
}

function explainUnreachable(host: string): ProviderCheckResult {
  const remedy = `Allow this server to open connections to ${host}, and check its DNS.`;
  return createResult("fail", `${host} cannot be reached.`, remedy);
}

function createResult(
  status: ProviderCheckResult["status"],
  message: string,
  remedy: string | null,
): ProviderCheckResult {
  return { subject: "fcm", status, message, mend: remedy };
}
