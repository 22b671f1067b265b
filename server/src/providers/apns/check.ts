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

/** A token that no device has. Apple says that it is bad only after it accepted our credential. */
const NO_DEVICE = "0".repeat(64);
const REQUEST_TIMEOUT_MS = 10_000;
/** Reasons that Apple gives only after it accepted the token. */
const WELCOME: ReadonlySet<string | null> = new Set([
  "BadDeviceToken",
  "ExpiredToken",
  "Unregistered",
]);

/**
 * Returns what Apple says about our credential, one entry for each environment. It requests a push to a device that does not
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
  const findings = await Promise.all(
    APNS_ENVIRONMENTS.map(async (environment): Promise<ApnsCheckExchange> => {
      const url = urlOf(settings, environment);
      const exchange = await ask({ settings, environment, authorization, signal: deadline });
      return { environment, url, exchange };
    }),
  );
  const isGoodForOne = findings.some(({ exchange }) => isWelcome(exchange));
  return findings.map((finding) => ({
    subject: serviceNameOf(finding.environment),
    ...judge(finding, { isGoodForOne, now: now() }),
  }));
}

interface Question {
  readonly settings: ApnsSettings;
  readonly environment: ApnsEnvironment;
  readonly authorization: string;
  readonly signal: AbortSignal;
}

async function ask({ settings, environment, authorization, signal }: Question) {
  const { topic, now } = settings;
  const message = trialMessage(now());
  const client = openClient(settings, environment);
  try {
    return await client.request({
      path: `/3/device/${NO_DEVICE}`,
      headers: headersFor({ message, token: NO_DEVICE, topic, authorization, now: now() }),
      neverIndexed: NEVER_INDEXED,
      body: buildPayload(message) ?? Buffer.alloc(0),
      signal,
    });
  } finally {
    await client.close();
  }
}

type ApnsVerdict = Omit<ProviderCheck, "subject">;

interface ApnsCheckContext {
  /** Whether the other environment accepted the credential. */
  readonly isGoodForOne: boolean;
  readonly now: number;
}

function judge(
  { environment, url, exchange }: ApnsCheckExchange,
  circumstances: ApnsCheckContext,
): ApnsVerdict {
  if (exchange.kind !== "answered") return silent(url, exchange);
  if (isWelcome(exchange)) {
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
  const mend = adviceFor({ reason, environment, date, now: circumstances.now });
  const isHarmless = circumstances.isGoodForOne && RESTRICTED_KEY_REASONS.has(reason);
  return { status: isHarmless ? "warn" : "fail", message, mend };
}

function silent({ host, hostname, port }: URL, exchange: Silence): ApnsVerdict {
  const code = "code" in exchange.error ? String(exchange.error.code) : "";
  const hint = /^[A-Z][A-Z0-9_]*$/u.test(code) ? ` (${code})` : "";
  const message =
    exchange.kind === "unsent"
      ? `${host} cannot be reached${hint}.`
      : `${host} did not answer${hint}.`;
  const mend = `Allow outbound TCP ${port === "" ? "443" : port} to ${hostname}.`;
  return { status: "fail", message, mend };
}

type Silence = Exclude<Http2Exchange, { readonly kind: "answered" }>;

function isWelcome(exchange: Http2Exchange): boolean {
  return exchange.kind === "answered" && isWelcoming(exchange.answer);
}

function isWelcoming({ status, body }: Answer): boolean {
  return status === 200 || (status < 500 && WELCOME.has(readAnswerBody(body).reason));
}
