import type { Http2Client, Http2Exchange } from "../http2/http2.ts";
import { runWithDeadline } from "../deadline.ts";
import { createHttp2Client } from "../http2/client.ts";
import {
  createAbortedOutcome,
  interpretUnanswered,
  type UnansweredContext,
} from "../http2/unanswered.ts";
import { MismatchClassifier } from "../mismatch-classifier.ts";
import { createRejection } from "../outcomes.ts";
import type { Address, FcmAddress, Message, Outcome, Provider } from "../provider.ts";
import { AccessTokens } from "./access-tokens.ts";
import { interpretResponse, type FcmInterpretation } from "./interpret-response.ts";
import { createHttp1Client } from "./http1-client.ts";
import { buildRequest, type FcmRequest } from "./message.ts";
import { TOKEN_URL } from "./mint.ts";
import { RateShaper } from "./rate-shaper.ts";
import type { ServiceAccount } from "./service-account.ts";

/** The service account of the FCM provider, and its dependencies. */
export interface FcmDeps {
  readonly credentials: ServiceAccount;
  /** The origin of the service; `FCM_URL` by default. Plain `http:` is for an emulator on the same machine. */
  readonly url?: string | undefined;
  /**
   * The token endpoint and, as Google's emulators expect, the audience of our assertions; `TOKEN_URL` by default. Never
   * read from a key file, which could name any server.
   */
  readonly tokenUrl?: string | undefined;
  readonly now: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
  /** Returns a random number from 0 up to, but not including, 1. */
  readonly random: () => number;
  /** Certificate authorities in PEM, instead of Node's default ones. */
  readonly ca?: string | undefined;
  /** The time limit of one attempt, including waits for an access token and the rate limit; 15 seconds by default. */
  readonly requestTimeoutMs?: number | undefined;
}

/** The origin of Google's service. */
export const FCM_URL = "https://fcm.googleapis.com";

/** Returns the path for sending messages of a project. */
export function getSendPath({ projectId }: ServiceAccount): string {
  return `/v1/projects/${encodeURIComponent(projectId)}/messages:send`;
}

/** Returns the provider for Firebase Cloud Messaging (FCM HTTP v1). */
export function createFcmProvider(deps: FcmDeps): Provider {
  return new FcmProvider(deps);
}

interface FcmAttempt {
  readonly message: Message;
  readonly address: FcmAddress;
  readonly requestedAt: number;
  /** Aborts at the deadline, or when the caller gives up. */
  readonly signal: AbortSignal;
  readonly callerSignal: AbortSignal;
}

interface AttemptResult {
  /** The access token that was sent; null if the attempt ended before that. */
  readonly token: string | null;
  readonly interpretation: FcmInterpretation;
}

/** Google recommends a timeout of at least 10 seconds. */
const REQUEST_TIMEOUT_MS = 15_000;
const CONNECTIONS_MAX = 2;
/** FCM closes a connection with more streams: GOAWAY with `exceeded_max_concurrent_streams`. */
const STREAMS_MAX = 100;
/** 80 % of a project's quota of 600,000 a minute. */
const RATE_MAX_PER_SECOND = 8_000;

class FcmProvider implements Provider {
  readonly name = "fcm";
  /** Google counts refused requests against the project's quota as well. */
  readonly shouldProbeFirst = true;
  readonly #deps: FcmDeps;
  readonly #url: URL;
  readonly #path: string;
  readonly #client: Http2Client;
  readonly #tokens: AccessTokens;
  readonly #rateShaper: RateShaper;
  readonly #mismatchClassifier: MismatchClassifier;
  #hasAccepted = false;

  constructor(deps: FcmDeps) {
    const { credentials, url = FCM_URL, tokenUrl = TOKEN_URL, now, elapsed, ca } = deps;
    this.#deps = deps;
    this.#url = new URL(url);
    this.#path = getSendPath(credentials);
    this.#client = createClient(this.#url.origin, deps);
    this.#tokens = new AccessTokens({ credentials, tokenUrl, now, elapsed, ca });
    this.#rateShaper = new RateShaper({ perSecond: RATE_MAX_PER_SECOND, elapsed });
    this.#mismatchClassifier = new MismatchClassifier(elapsed);
  }

  /** Returns the same service for all addresses, because they belong to one project. */
  getServiceName(address: Address): string {
    if (address.provider !== "fcm")
      throw new TypeError(`This provider does not send to ${address.provider}.`);
    return "fcm";
  }

  async send(message: Message, address: Address, callerSignal: AbortSignal): Promise<Outcome> {
    if (address.provider !== "fcm")
      throw new TypeError(`This provider does not send to ${address.provider}.`);
    const { now, requestTimeoutMs = REQUEST_TIMEOUT_MS } = this.#deps;
    await message.waitForPacer?.();
    const attempt = { message, address, requestedAt: now(), callerSignal };
    const bounds = { signal: callerSignal, timeoutMs: requestTimeoutMs };
    return runWithDeadline(bounds, (signal) => this.#sendWithRetry({ ...attempt, signal }));
  }

  async #sendWithRetry(attempt: FcmAttempt): Promise<Outcome> {
    const firstResult = await this.#attempt(attempt);
    if (!firstResult.interpretation.isAccessTokenStale || firstResult.token === null)
      return firstResult.interpretation.outcome;
    this.#tokens.drop(firstResult.token);
    const secondResult = await this.#attempt(attempt);
    return secondResult.interpretation.outcome;
  }

  async close(): Promise<void> {
    await Promise.all([this.#client.close(), this.#tokens.close()]);
  }

  async #attempt(attempt: FcmAttempt): Promise<AttemptResult> {
    const { message, address, signal } = attempt;
    const result = await this.#tokens.get(signal);
    if (result.kind === "failed") return createUnsentResult(result.outcome);
    if (result.kind === "aborted" || !(await this.#rateShaper.acquire(signal))) {
      return createUnsentResult(createAbortedOutcome(this.#getContext(attempt)));
    }
    const request = buildRequest({ message, address, now: this.#deps.now() });
    if (request === null)
      return createUnsentResult(createRejection({ code: "payload_too_large", detail: null }));
    const exchange = await this.#request(request, { token: result.token, signal });
    return { token: result.token, interpretation: this.#interpret(exchange, attempt) };
  }

  async #request(
    request: FcmRequest,
    { token, signal }: { readonly token: string; readonly signal: AbortSignal },
  ): Promise<Http2Exchange> {
    return this.#client.request({
      path: this.#path,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      neverIndexed: ["authorization"],
      body: Buffer.from(JSON.stringify(request)),
      signal,
    });
  }

  #interpret(exchange: Http2Exchange, attempt: FcmAttempt): FcmInterpretation {
    if (exchange.kind !== "answered") {
      return {
        outcome: interpretUnanswered(exchange, this.#getContext(attempt)),
        isAccessTokenStale: false,
      };
    }
    const interpretation = interpretResponse(exchange.response, {
      requestedAt: attempt.requestedAt,
      now: this.#deps.now(),
      isPayloadProven: this.#hasAccepted,
      classifyMismatch: () => this.#mismatchClassifier.classifyMismatch(),
    });
    if (interpretation.outcome.kind === "accepted") {
      this.#hasAccepted = true;
      this.#mismatchClassifier.recordAccepted();
    }
    return interpretation;
  }

  #getContext({ callerSignal }: FcmAttempt): UnansweredContext {
    return { host: this.#url.host, isCallerGone: callerSignal.aborted };
  }
}

function createClient(origin: string, deps: FcmDeps): Http2Client {
  if (origin.startsWith("http:")) {
    return createHttp1Client({ origin, connectionsMax: CONNECTIONS_MAX * STREAMS_MAX });
  }
  const { elapsed, random, ca } = deps;
  return createHttp2Client({
    origin,
    connectionsMax: CONNECTIONS_MAX,
    streamsMax: STREAMS_MAX,
    elapsed,
    random,
    ca,
  });
}

function createUnsentResult(outcome: Outcome): AttemptResult {
  return { token: null, interpretation: { outcome, isAccessTokenStale: false } };
}
