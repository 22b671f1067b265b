import { createTrialMessage, type ProviderCheckResult } from "../check.ts";
import type { Http2Exchange } from "../http2/http2.ts";
import type { PushServiceResponse } from "../post.ts";
import { parseResponseBody } from "./response-body.ts";
import type { ApnsDeps } from "./apns.ts";
import { createHeaders, NEVER_INDEXED_HEADERS } from "./headers.ts";
import { getAdvice, RESTRICTED_KEY_REASONS } from "./advice.ts";
import { buildPayload } from "./payload.ts";
import { ProviderToken } from "./provider-token.ts";
import {
  APNS_ENVIRONMENTS,
  createEnvironmentClient,
  getEnvironmentServiceName,
  getEnvironmentUrl,
  type ApnsEnvironment,
} from "./environment.ts";

/** A trial push to one environment, and its result. */
interface EnvironmentTrial {
  readonly environment: ApnsEnvironment;
  readonly url: URL;
  readonly exchange: Http2Exchange;
}

/** A token that no device has. Apple reports this only after it accepted our credential. */
const UNKNOWN_DEVICE_TOKEN = "0".repeat(64);
const REQUEST_TIMEOUT_MS = 10_000;
/** Reasons that Apple sends only after accepting the provider token. */
const ACCEPTED_TOKEN_REASONS: ReadonlySet<string | null> = new Set([
  "BadDeviceToken",
  "ExpiredToken",
  "Unregistered",
]);

/**
 * Returns one check result for each environment: whether Apple accepts our credential. Requests a push to a device that
 * does not exist.
 */
export async function checkApns(
  deps: ApnsDeps,
  signal: AbortSignal,
): Promise<readonly ProviderCheckResult[]> {
  const { key, keyId, teamId, now, elapsed } = deps;
  const { requestTimeoutMs = REQUEST_TIMEOUT_MS } = deps;
  const authorization = await new ProviderToken({
    key,
    keyId,
    teamId,
    now,
    elapsed,
  }).getAuthorization();
  const deadlineSignal = AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]);
  const trials = await Promise.all(
    APNS_ENVIRONMENTS.map(async (environment): Promise<EnvironmentTrial> => {
      const url = getEnvironmentUrl(deps, environment);
      const exchange = await sendTrialPush({
        deps,
        environment,
        authorization,
        signal: deadlineSignal,
      });
      return { environment, url, exchange };
    }),
  );
  const isAcceptedByAny = trials.some(({ exchange }) => isAccepted(exchange));
  return trials.map((trial) => ({
    subject: getEnvironmentServiceName(trial.environment),
    ...describeTrial(trial, { isAcceptedByAny, now: now() }),
  }));
}

interface CheckRequest {
  readonly deps: ApnsDeps;
  readonly environment: ApnsEnvironment;
  readonly authorization: string;
  readonly signal: AbortSignal;
}

async function sendTrialPush({ deps, environment, authorization, signal }: CheckRequest) {
  const { topic, now } = deps;
  const message = createTrialMessage(now());
  const client = createEnvironmentClient(deps, environment);
  try {
    return await client.request({
      path: `/3/device/${UNKNOWN_DEVICE_TOKEN}`,
      headers: createHeaders({
        message,
        deviceToken: UNKNOWN_DEVICE_TOKEN,
        topic,
        authorization,
        now: now(),
      }),
      neverIndexed: NEVER_INDEXED_HEADERS,
      body: buildPayload(message) ?? Buffer.alloc(0),
      signal,
    });
  } finally {
    await client.close();
  }
}

type ApnsCheckResult = Omit<ProviderCheckResult, "subject">;

interface ApnsCheckContext {
  /** True if at least one environment accepted the credential. */
  readonly isAcceptedByAny: boolean;
  readonly now: number;
}

function describeTrial(
  { environment, url, exchange }: EnvironmentTrial,
  context: ApnsCheckContext,
): ApnsCheckResult {
  if (exchange.kind !== "answered") return describeUnanswered(url, exchange);
  if (isAccepted(exchange)) {
    return { status: "ok", message: "Apple accepts this server's key.", mend: null };
  }
  const { status, headers, body } = exchange.response;
  const { reason } = parseResponseBody(body);
  const message = `Apple answered ${status}${reason === null ? "" : ` ${reason}`}.`;
  if (status >= 500 || status === 429) {
    return {
      status: "warn",
      message,
      mend: "Check again in 20 minutes: Apple may have a problem.",
    };
  }
  const date = headers["date"];
  const remedy = getAdvice({ reason, environment, date, now: context.now });
  const isHarmless = context.isAcceptedByAny && RESTRICTED_KEY_REASONS.has(reason);
  return { status: isHarmless ? "warn" : "fail", message, mend: remedy };
}

function describeUnanswered(
  { host, hostname, port }: URL,
  exchange: FailedExchange,
): ApnsCheckResult {
  const code = "code" in exchange.error ? String(exchange.error.code) : "";
  const codeHint = /^[A-Z][A-Z0-9_]*$/u.test(code) ? ` (${code})` : "";
  const message =
    exchange.kind === "unprocessed"
      ? `${host} cannot be reached${codeHint}.`
      : `${host} did not respond${codeHint}.`;
  const remedy = `Allow outbound TCP ${port === "" ? "443" : port} to ${hostname}.`;
  return { status: "fail", message, mend: remedy };
}

type FailedExchange = Exclude<Http2Exchange, { readonly kind: "answered" }>;

function isAccepted(exchange: Http2Exchange): boolean {
  return exchange.kind === "answered" && isTokenAccepted(exchange.response);
}

function isTokenAccepted({ status, body }: PushServiceResponse): boolean {
  return (
    status === 200 || (status < 500 && ACCEPTED_TOKEN_REASONS.has(parseResponseBody(body).reason))
  );
}
