import { randomBytes } from "node:crypto";
import { Arrivals, type WaitOptions } from "../arrivals.ts";
import { LOOPBACK } from "../listen.ts";
import { AccessTokens } from "./access-tokens.ts";
import type { Exchange, RawResponse } from "./exchange.ts";
import {
  validateMessage,
  type Malformed,
  type Target,
  type WellFormed,
} from "./fcm-message-rules.ts";
import {
  FcmRegistration,
  type FcmDelivery,
  type SendRecord,
  type SendVerdict,
} from "./fcm-registration.ts";
import { isDelivered, runScript, type FcmScript } from "./fcm-script.ts";
import {
  createHtmlPage,
  createPermissionDeniedError,
  createSenderIdMismatchError,
  createUnknownProjectError,
  createUnregisteredError,
  type GoogleError,
} from "./google-errors.ts";
import { GoogleFrontEnd } from "./google-front-end.ts";
import { GOOGLE_TOKEN_URL, generateServiceAccount } from "./service-account.ts";
import { TokenEndpoint } from "./token-endpoint.ts";

/** Google's hosts. The double serves these names and its own address. */
export const GOOGLE_HOSTS = { fcm: "fcm.googleapis.com", tokens: "oauth2.googleapis.com" } as const;

const GOOGLE_MAX_CONCURRENT_STREAMS = 100;

/** The project, clock and limits of a double. */
export interface FcmServiceOptions {
  readonly projectId?: string;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  /** Maximum number of concurrent requests on a connection; Google's 100 by default. */
  readonly maxConcurrentStreams?: number;
  /**
   * Whether SETTINGS announce the limit, as Google's do; true by default. Until the client has acknowledged it, Node
   * silently refuses excess streams. If false, every excess is a violation.
   */
  readonly announcesLimit?: boolean;
  /**
   * The required `aud` of an assertion. By default it is Google's URL, as in reality; `own` requires `tokenUrl`, for
   * clients that use the URL of the request.
   */
  readonly audience?: "google" | "own";
}

/** Local doubles of Firebase Cloud Messaging and Google's token endpoint. They validate and log every request. */
export class FcmService {
  readonly projectId: string;
  /** `https://127.0.0.1:<port>`. */
  readonly origin: string;
  readonly tokenUrl: string;
  /** The certificate to trust, PEM, for the loopback address and Google's hosts. */
  readonly ca: string;
  /** The JSON file of the only service account that may send, as Firebase's console provides it. */
  readonly credentials: string;
  /** The connections and their limits. */
  readonly frontEnd: GoogleFrontEnd;
  readonly tokenEndpoint: TokenEndpoint;
  readonly #now: () => number;
  readonly #tokens: AccessTokens;
  readonly #registrations = new Map<string, FcmRegistration>();
  readonly #log = new Arrivals<SendRecord>("requests to FCM");
  readonly #scripts: FcmScript[] = [];

  /** Starts the double on a free loopback port. */
  static async start(options: FcmServiceOptions = {}): Promise<FcmService> {
    const { maxConcurrentStreams = GOOGLE_MAX_CONCURRENT_STREAMS, announcesLimit = true } = options;
    const started = Promise.withResolvers<FcmService>();
    const frontEnd = await GoogleFrontEnd.start({
      names: Object.values(GOOGLE_HOSTS),
      maxConcurrentStreams,
      announcesLimit,
      serve: async (exchange) => (await started.promise).#serve(exchange),
    });
    started.resolve(new FcmService(frontEnd, options));
    return started.promise;
  }

  private constructor(frontEnd: GoogleFrontEnd, options: FcmServiceOptions) {
    const { projectId = "tocsin-double", now = Date.now } = options;
    const account = generateServiceAccount(projectId);
    const tokens = new AccessTokens(now);
    this.projectId = projectId;
    this.origin = `https://${LOOPBACK}:${frontEnd.port}`;
    this.tokenUrl = `${this.origin}/token`;
    this.ca = frontEnd.ca;
    this.credentials = account.credentials;
    this.frontEnd = frontEnd;
    const audience = options.audience === "own" ? this.tokenUrl : GOOGLE_TOKEN_URL;
    this.tokenEndpoint = new TokenEndpoint({ account, tokens, audience, now });
    this.#tokens = tokens;
    this.#now = now;
  }

  /** Registers an installation of an app, by default in the service's own project. */
  register(options: {
    readonly projectId?: string;
    readonly deliver: (message: FcmDelivery) => void;
  }): FcmRegistration {
    const { projectId = this.projectId, deliver } = options;
    const registration = new FcmRegistration({ projectId, deliver });
    this.#registrations.set(registration.token, registration);
    this.#registrations.set(registration.fid, registration);
    return registration;
  }

  /** Every request to `messages:send`, including refused ones. */
  get requests(): readonly SendRecord[] {
    return this.#log.all;
  }

  /** Resolves with all requests to `messages:send` once there are `count`, answered or not. */
  async waitForRequests(count: number, options: WaitOptions = {}): Promise<readonly SendRecord[]> {
    return this.#log.waitForCount(count, options);
  }

  /** Number of issued access tokens. */
  get issuedTokenCount(): number {
    return this.#tokens.issuedCount;
  }

  /** Scripts the next sends whose device has no script, one each. */
  script(...scripts: readonly FcmScript[]): void {
    this.#scripts.push(...scripts);
  }

  /** Stops the service and aborts pending requests. */
  async close(): Promise<void> {
    await this.frontEnd.close();
  }

  async #serve(exchange: Exchange): Promise<void> {
    const { method, path } = exchange;
    const projectId = /^\/v1\/projects\/(?<id>[^/]+)\/messages:send$/u.exec(path)?.groups?.["id"];
    if (method === "POST" && path === "/token" && this.#isSentTo(exchange, GOOGLE_HOSTS.tokens)) {
      await this.tokenEndpoint.serve(exchange);
    } else if (method === "POST" && projectId && this.#isSentTo(exchange, GOOGLE_HOSTS.fcm)) {
      await this.#send(exchange, projectId);
    } else {
      exchange.respond(createHtmlPage(404));
    }
  }

  #isSentTo({ authority }: Exchange, host: string): boolean {
    const { port } = this.frontEnd;
    return [host, `${host}:443`, `${LOOPBACK}:${port}`, `localhost:${port}`].includes(authority);
  }

  async #send(exchange: Exchange, projectId: string): Promise<void> {
    const { path, headers, body } = exchange;
    const parsed = validateMessage(body.toString(), headers["content-type"]);
    const target = parsed.kind === "well-formed" ? parsed.target : null;
    const registration = this.#registrations.get(target?.value ?? "") ?? null;
    const verdict = this.#validate(parsed, { projectId, registration, exchange });
    const script = registration?.takeScript() ?? this.#scripts.shift() ?? null;
    const record: SendRecord = { path, headers, body, verdict, script };
    registration?.record(record);
    this.#log.add(record);
    await script?.after;
    if (verdict.kind === "accepted" && !verdict.isDryRun && isDelivered(script)) {
      const { message, name } = verdict;
      const sentTo = verdict.target.kind === "fid" ? "fid" : "token";
      registration?.deliver({ ...message, name, sentTo });
    }
    await runScript(script, exchange, toResponse(verdict));
  }

  /** Validates in the order of Google's layers: credentials, message, target. */
  #validate(
    parsed: WellFormed | Malformed,
    context: {
      readonly projectId: string;
      readonly registration: FcmRegistration | null;
      readonly exchange: Exchange;
    },
  ): SendVerdict {
    const { authorization } = context.exchange.headers;
    const refusal = this.#tokens.check(authorization) ?? this.#checkProject(context.projectId);
    if (refusal !== null) return { kind: "refused", error: refusal };
    if (parsed.kind === "malformed") return { kind: "refused", error: parsed.error };
    const targetError = this.#checkTarget(parsed.target, context.registration);
    if (targetError !== null) return { kind: "refused", error: targetError };
    // Google's message id for a dry run.
    const id = parsed.isDryRun ? "fake_message_id" : generateMessageId(this.#now());
    return { ...parsed, kind: "accepted", name: `projects/${context.projectId}/messages/${id}` };
  }

  #checkProject(projectId: string): GoogleError | null {
    if (projectId === this.projectId) return null;
    const registrations = [...this.#registrations.values()];
    const exists = registrations.some((registration) => registration.projectId === projectId);
    return exists ? createPermissionDeniedError(projectId) : createUnknownProjectError();
  }

  #checkTarget({ kind }: Target, registration: FcmRegistration | null): GoogleError | null {
    if (kind === "topic" || kind === "condition") return null;
    if (registration === null || registration.isGone) return createUnregisteredError();
    return registration.projectId === this.projectId ? null : createSenderIdMismatchError();
  }
}

function toResponse(verdict: SendVerdict): RawResponse {
  if (verdict.kind === "refused") return verdict.error;
  return {
    status: 200,
    headers: { "content-type": "application/json; charset=UTF-8" },
    body: JSON.stringify({ name: verdict.name }, null, 2),
  };
}

/** Generates an id of Google's form: a timestamp in microseconds and a number. */
function generateMessageId(nowMs: number): string {
  return `0:${Math.floor(nowMs)}000%${randomBytes(8).toString("hex")}`;
}
