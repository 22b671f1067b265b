import type { Http2Client, Http2Exchange } from "../http2/http2.ts";
import { withDeadline } from "../deadline.ts";
import { createHttp2Client } from "../http2/client.ts";
import { judgeGivenUp, judgeUnanswered } from "../http2/unanswered.ts";
import type { UnansweredContext } from "../http2/unanswered.ts";
import { MismatchShare } from "../mismatch-share.ts";
import { rejected } from "../outcomes.ts";
import type { Address, FcmAddress, Message, Outcome, Provider } from "../provider.ts";
import { AccessTokens } from "./access-tokens.ts";
import { judgeAnswer } from "./answer.ts";
import type { FcmJudgement } from "./answer.ts";
import { createHttp1Client } from "./http1-client.ts";
import { buildMessage } from "./message.ts";
import type { FcmRequest } from "./message.ts";
import { TOKEN_URL } from "./mint.ts";
import { RateShape } from "./rate-shape.ts";
import type { ServiceAccount } from "./service-account.ts";

export interface FcmSettings {
  readonly credentials: ServiceAccount;
  /** An origin; `FCM_URL` by default. Plain `http:` is for an emulator on the same machine. */
  readonly url?: string | undefined;
  /**
   * The token endpoint and, as Google's emulators expect, the audience of our assertions; `TOKEN_URL` by default. Never
   * read from a key file, which could name any server.
   */
  readonly tokenUrl?: string | undefined;
  readonly now: () => number;
  /** A monotonic clock, in milliseconds. */
  readonly elapsed: () => number;
  readonly random: () => number;
  /** Certificate authorities in PEM, instead of Node's default ones. */
  readonly ca?: string | undefined;
  /** How long one attempt may take in all, including its waits; 15 seconds by default. */
  readonly requestTimeoutMs?: number | undefined;
}

/** Google's endpoint of the service. */
export const FCM_URL = "https://fcm.googleapis.com";

/** Returns the path for the messages of a project. */
export function sendPathOf({ projectId }: ServiceAccount): string {
  return `/v1/projects/${encodeURIComponent(projectId)}/messages:send`;
}

/** Returns the provider for Firebase Cloud Messaging (FCM HTTP v1). */
export function createFcmProvider(settings: FcmSettings): Provider {
  return new FcmProvider(settings);
}

interface FcmAttempt {
  readonly message: Message;
  readonly address: FcmAddress;
  readonly askedAt: number;
  /** Aborts at the deadline, or when the caller gives up. */
  readonly signal: AbortSignal;
  readonly callerSignal: AbortSignal;
}

interface AttemptResult {
  /** The access token that was sent; null if the attempt ended before that. */
  readonly token: string | null;
  readonly judgement: FcmJudgement;
}

/** Google asks for at least 10 seconds. */
const REQUEST_TIMEOUT_MS = 15_000;
const CONNECTIONS_MAX = 2;
/** FCM closes a connection with more streams: GOAWAY with `exceeded_max_concurrent_streams`. */
const STREAMS_MAX = 100;
/** 80 % of a project's quota of 600,000 a minute. */
const RATE_MAX_PER_SECOND = 8_000;

class FcmProvider implements Provider {
  readonly name = "fcm";
  /** Google counts refused requests against the project's quota as well. */
  readonly probesFirst = true;
  readonly #settings: FcmSettings;
  readonly #url: URL;
  readonly #path: string;
  readonly #client: Http2Client;
  readonly #tokens: AccessTokens;
  readonly #shape: RateShape;
  readonly #mismatches: MismatchShare;
  #hasAccepted = false;

  constructor(settings: FcmSettings) {
    const { credentials, url = FCM_URL, tokenUrl = TOKEN_URL, now, elapsed, ca } = settings;
    this.#settings = settings;
    this.#url = new URL(url);
    this.#path = sendPathOf(credentials);
    this.#client = createClient(this.#url.origin, settings);
    this.#tokens = new AccessTokens({ credentials, tokenUrl, now, elapsed, ca });
    this.#shape = new RateShape({ perSecond: RATE_MAX_PER_SECOND, elapsed });
    this.#mismatches = new MismatchShare(elapsed);
  }

  /** Returns the same service for all addresses, because they belong to one project. */
  serviceOf(address: Address): string {
    if (address.provider !== "fcm") throw new TypeError(`Not for ${address.provider}.`);
    return "fcm";
  }

  async send(message: Message, address: Address, callerSignal: AbortSignal): Promise<Outcome> {
    if (address.provider !== "fcm") throw new TypeError(`Not for ${address.provider}.`);
    const { now, requestTimeoutMs = REQUEST_TIMEOUT_MS } = this.#settings;
    await message.turn?.();
    const attempt = { message, address, askedAt: now(), callerSignal };
    const bounds = { signal: callerSignal, limitMs: requestTimeoutMs };
    return withDeadline(bounds, (signal) => this.#sendBounded({ ...attempt, signal }));
  }

  async #sendBounded(attempt: FcmAttempt): Promise<Outcome> {
    const first = await this.#attempt(attempt);
    if (!first.judgement.isTokenStale || first.token === null) return first.judgement.outcome;
    this.#tokens.drop(first.token);
    const second = await this.#attempt(attempt);
    return second.judgement.outcome;
  }

  async close(): Promise<void> {
    await Promise.all([this.#client.close(), this.#tokens.close()]);
  }

  async #attempt(attempt: FcmAttempt): Promise<AttemptResult> {
    const { message, address, signal } = attempt;
    const result = await this.#tokens.current(signal);
    if (result.kind === "failed") return endEarly(result.outcome);
    if (result.kind === "given up" || !(await this.#shape.enter(signal))) {
      return endEarly(judgeGivenUp(this.#context(attempt)));
    }
    const request = buildMessage({ message, address, now: this.#settings.now() });
    if (request === null) return endEarly(rejected({ code: "payload_too_large", detail: null }));
    const exchange = await this.#request(request, { token: result.token, signal });
    return { token: result.token, judgement: this.#judge(exchange, attempt) };
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

  #judge(exchange: Http2Exchange, attempt: FcmAttempt): FcmJudgement {
    if (exchange.kind !== "answered") {
      return { outcome: judgeUnanswered(exchange, this.#context(attempt)), isTokenStale: false };
    }
    const judgement = judgeAnswer(exchange.answer, {
      askedAt: attempt.askedAt,
      now: this.#settings.now(),
      isPayloadProven: this.#hasAccepted,
      judgeMismatch: () => this.#mismatches.judgeMismatch(),
    });
    if (judgement.outcome.kind === "accepted") {
      this.#hasAccepted = true;
      this.#mismatches.noteAccepted();
    }
    return judgement;
  }

  #context({ callerSignal }: FcmAttempt): UnansweredContext {
    return { host: this.#url.host, isCallerGone: callerSignal.aborted };
  }
}

function createClient(origin: string, settings: FcmSettings): Http2Client {
  if (origin.startsWith("http:")) {
    return createHttp1Client({ origin, connectionsMax: CONNECTIONS_MAX * STREAMS_MAX });
  }
  const { elapsed, random, ca } = settings;
  return createHttp2Client({
    origin,
    connectionsMax: CONNECTIONS_MAX,
    streamsMax: STREAMS_MAX,
    elapsed,
    random,
    ca,
  });
}

function endEarly(outcome: Outcome): AttemptResult {
  return { token: null, judgement: { outcome, isTokenStale: false } };
}
