import type { Agent } from "undici";
import { trialMessage, type ProviderCheck } from "../check.ts";
import { createAgent } from "./agent.ts";
import { judgeAnswer } from "./answer.ts";
import { readErrorBody } from "./error-body.ts";
import { FCM_URL, sendPathOf } from "./fcm.ts";
import type { FcmSettings } from "./fcm.ts";
import { buildMessage } from "./message.ts";
import { CLOCK_TOLERANCE_MS, TOKEN_URL, describeClock, mint } from "./mint.ts";
import type { Minting } from "./mint.ts";
import { post } from "../post.ts";
import type { Answer } from "../post.ts";

const CHECK_TIMEOUT_MS = 15_000;
/** A token that no app has. FCM reports it only after accepting our credentials. */
const UNKNOWN_TOKEN = "no-such-device";

const SET_CLOCK = "Set this server's clock, and keep it right with NTP.";
const NEW_KEY =
  "Make a new key for the service account in the Firebase console, and give it to this server.";
const RETRY_LATER =
  "Run this again in a few minutes; if it stays so, look for a proxy on the way to Google.";

/**
 * Requests an access token from Google, validates a message with FCM and returns both results. Delivers nothing.
 */
export async function checkFcm(
  settings: FcmSettings,
  signal: AbortSignal,
): Promise<readonly ProviderCheck[]> {
  const { credentials, tokenUrl = TOKEN_URL, now, ca } = settings;
  const dispatcher = createAgent(ca);
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(CHECK_TIMEOUT_MS)]);
  try {
    const minting = await mint({ credentials, tokenUrl, dispatcher, now }, deadline);
    if (minting.kind === "failed") return [explainFailure(minting)];
    const { token } = minting;
    const sending = await checkSending(settings, { token, dispatcher, signal: deadline });
    return [...checkClock(minting), sending];
  } finally {
    await dispatcher.destroy();
  }
}

function checkClock({ clockErrorMs }: Minting): readonly ProviderCheck[] {
  if (clockErrorMs === null || Math.abs(clockErrorMs) < CLOCK_TOLERANCE_MS) return [];
  const message = `This server's clock is ${describeClock(clockErrorMs)}.`;
  return [checkResult("warn", message, SET_CLOCK)];
}

function explainFailure({ outcome, errorCode, clockErrorMs }: FailedMinting): ProviderCheck {
  const { code, detail } = outcome.reason;
  if (code === "unreachable") return unreachable(detail ?? "");
  if (outcome.kind === "retry") return checkResult("warn", `${detail}.`, RETRY_LATER);
  const isClock = clockErrorMs !== null && Math.abs(clockErrorMs) >= CLOCK_TOLERANCE_MS;
  const remedy = errorCode === "invalid_grant" && isClock ? SET_CLOCK : NEW_KEY;
  return checkResult("fail", `${detail}.`, remedy);
}

type FailedMinting = Extract<Minting, { readonly kind: "failed" }>;

interface TrialRequest {
  readonly token: string;
  readonly dispatcher: Agent;
  readonly signal: AbortSignal;
}

async function checkSending(settings: FcmSettings, sending: TrialRequest): Promise<ProviderCheck> {
  const { credentials, url: origin = FCM_URL, now } = settings;
  const { token, dispatcher, signal } = sending;
  const url = new URL(sendPathOf(credentials), origin);
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const address = { provider: "fcm", kind: "token", token: UNKNOWN_TOKEN } as const;
  const trial = buildMessage({ message: trialMessage(now()), address, now: now() });
  const body = Buffer.from(JSON.stringify({ ...trial, validate_only: true }));
  const exchange = await post(dispatcher, { url, headers, body, signal });
  if (exchange.kind !== "answered") return unreachable(url.host);
  return explainAnswer(exchange.answer, { projectId: credentials.projectId, now: now() });
}

function explainAnswer(
  answer: Answer,
  { projectId, now }: { readonly projectId: string; readonly now: number },
): ProviderCheck {
  const { outcome } = judgeAnswer(answer, {
    askedAt: now,
    now,
    isPayloadProven: true,
    judgeMismatch: () => "device",
  });
  if (outcome.kind === "accepted" || outcome.kind === "gone") {
    return checkResult("ok", `FCM takes messages for the project ${projectId}.`, null);
  }
  const message = `${outcome.reason.detail}.`;
  switch (outcome.kind) {
    case "refused":
      return checkResult("fail", message, remedyFor(answer, projectId));
    case "rejected":
      return checkResult(
        "warn",
        message,
        "Send a test notification to see whether messages get through.",
      );
    case "retry":
      return checkResult("warn", message, RETRY_LATER);
  }
}

function remedyFor({ status, body }: Answer, projectId: string): string {
  const reason = readErrorBody(body)?.reason ?? null;
  if (reason === "SERVICE_DISABLED") {
    return `Enable the Firebase Cloud Messaging API for the project ${projectId} in the Google Cloud console.`;
  }
  if (reason === "CONSUMER_INVALID" || status === 404) {
    return `Check project_id in the key file: Google knows no project ${projectId}.`;
  }
  if (reason === "BILLING_DISABLED" || reason === "CONSUMER_SUSPENDED") {
    return `Look at the project ${projectId} in the Google Cloud console: Google has suspended it.`;
  }
  if (status === 403) {
    return `Give the service account the role "Firebase Cloud Messaging API Admin" in the project ${projectId}.`;
  }
  return NEW_KEY;
}

function unreachable(host: string): ProviderCheck {
  const remedy = `Allow this server to open connections to ${host}, and check its DNS.`;
  return checkResult("fail", `${host} cannot be reached.`, remedy);
}

function checkResult(
  status: ProviderCheck["status"],
  message: string,
  remedy: string | null,
): ProviderCheck {
  return { subject: "fcm", status, message, mend: remedy };
}
