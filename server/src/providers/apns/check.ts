import { trialMessage, type ProviderCheck } from "../check.ts";
import type { Http2Exchange } from "../http2/http2.ts";
import type { Answer } from "../post.ts";
import { readAnswerBody } from "./answer-body.ts";
import type { ApnsSettings } from "./apns.ts";
import { headersFor, NEVER_INDEXED } from "./headers.ts";
import { adviceFor, RESTRICTED_KEY_REASONS } from "./advice.ts";
import { buildPayload } from "./payload.ts";
import { ProviderToken } from "./provider-token.ts";
import { APNS_ENVIRONMENTS, openClient, serviceNameOf, urlOf } from "./environment.ts";
import type { ApnsEnvironment } from "./environment.ts";

interface ApnsCheckExchange {
  readonly environment: ApnsEnvironment;
  readonly url: URL;
  readonly exchange: Http2Exchange;
}

/** A token that no device has. Apple reports it only after accepting our credential. */
const UNKNOWN_DEVICE_TOKEN = "0".repeat(64);
const REQUEST_TIMEOUT_MS = 10_000;
/** Reasons that Apple sends only after accepting the provider token. */
const ACCEPTED_TOKEN_REASONS: ReadonlySet<string | null> = new Set([
  "BadDeviceToken",
  "ExpiredToken",
  "Unregistered",
]);

/**
 * Checks our credential with Apple and returns one result for each environment. Requests a push to a device that does not
 * exist.
 */
export async function checkApns(
  settings: ApnsSettings,
  signal: AbortSignal,
): Promise<readonly ProviderCheck[]> {
  const { key, keyId, teamId, now, elapsed } = settings;
  const { requestTimeoutMs = REQUEST_TIMEOUT_MS } = settings;
  const authorization = await new ProviderToken({
    key,
    keyId,
    teamId,
    now,
    elapsed,
  }).authorization();
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(requestTimeoutMs)]);
  const exchanges = await Promise.all(
    APNS_ENVIRONMENTS.map(async (environment): Promise<ApnsCheckExchange> => {
      const url = urlOf(settings, environment);
      const exchange = await requestPush({
        settings,
        environment,
        authorization,
        signal: deadline,
      });
      return { environment, url, exchange };
    }),
  );
  const isAcceptedByOne = exchanges.some(({ exchange }) => isAccepted(exchange));
  return exchanges.map((exchange) => ({
    subject: serviceNameOf(exchange.environment),
    ...describeExchange(exchange, { isAcceptedByOne, now: now() }),
  }));
}

interface CheckRequest {
  readonly settings: ApnsSettings;
  readonly environment: ApnsEnvironment;
  readonly authorization: string;
  readonly signal: AbortSignal;
}

async function requestPush({ settings, environment, authorization, signal }: CheckRequest) {
  const { topic, now } = settings;
  const message = trialMessage(now());
  const client = openClient(settings, environment);
  try {
    return await client.request({
      path: `/3/device/${UNKNOWN_DEVICE_TOKEN}`,
      headers: headersFor({
        message,
        token: UNKNOWN_DEVICE_TOKEN,
        topic,
        authorization,
        now: now(),
      }),
      neverIndexed: NEVER_INDEXED,
      body: buildPayload(message) ?? Buffer.alloc(0),
      signal,
    });
  } finally {
    await client.close();
  }
}

type ApnsCheckResult = Omit<ProviderCheck, "subject">;

interface ApnsCheckContext {
  /** Whether at least one environment accepted the credential. */
  readonly isAcceptedByOne: boolean;
  readonly now: number;
}

function describeExchange(
  { environment, url, exchange }: ApnsCheckExchange,
  context: ApnsCheckContext,
): ApnsCheckResult {
  if (exchange.kind !== "answered") return describeUnanswered(url, exchange);
  if (isAccepted(exchange)) {
    return { status: "ok", message: "Apple takes this server's key.", mend: null };
  }
  const { answer } = exchange;
  const { status, headers, body } = answer;
  const { reason } = readAnswerBody(body);
  const message = `Apple answered ${status}${reason === null ? "" : ` ${reason}`}.`;
  if (status >= 500 || status === 429) {
    return {
      status: "warn",
      message,
      mend: "Ask again in 20 minutes: the trouble may be Apple's.",
    };
  }
  const date = headers["date"];
  const mend = adviceFor({ reason, environment, date, now: context.now });
  const isHarmless = context.isAcceptedByOne && RESTRICTED_KEY_REASONS.has(reason);
  return { status: isHarmless ? "warn" : "fail", message, mend };
}

function describeUnanswered(
  { host, hostname, port }: URL,
  exchange: FailedExchange,
): ApnsCheckResult {
  const code = "code" in exchange.error ? String(exchange.error.code) : "";
  const hint = /^[A-Z][A-Z0-9_]*$/u.test(code) ? ` (${code})` : "";
  const message =
    exchange.kind === "unsent"
      ? `${host} cannot be reached${hint}.`
      : `${host} did not answer${hint}.`;
  const mend = `Allow outbound TCP ${port === "" ? "443" : port} to ${hostname}.`;
  return { status: "fail", message, mend };
}

type FailedExchange = Exclude<Http2Exchange, { readonly kind: "answered" }>;

function isAccepted(exchange: Http2Exchange): boolean {
  return exchange.kind === "answered" && isAcceptance(exchange.answer);
}

function isAcceptance({ status, body }: Answer): boolean {
  return (
    status === 200 || (status < 500 && ACCEPTED_TOKEN_REASONS.has(readAnswerBody(body).reason))
  );
}
