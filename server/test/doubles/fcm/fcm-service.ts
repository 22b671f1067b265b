import { randomBytes } from "node:crypto";
import { Arrivals } from "../arrivals.ts";
import type { WaitOptions } from "../arrivals.ts";
import { LOOPBACK } from "../listen.ts";
import { AccessTokens } from "./access-tokens.ts";
import type { Exchange, RawAnswer } from "./exchange.ts";
import { judgeMessage } from "./fcm-message-rules.ts";
import type { Malformed, Target, WellFormed } from "./fcm-message-rules.ts";
import { FcmRegistration } from "./fcm-registration.ts";
import type { FcmDelivery, JudgedSend, SendVerdict } from "./fcm-registration.ts";
import { isDelivered, perform } from "./fcm-script.ts";
import type { ScriptedAnswer } from "./fcm-script.ts";
import {
  htmlPage,
  permissionDenied,
  senderIdMismatch,
  unknownProject,
  unregistered,
} from "./google-errors.ts";
import type { GoogleError } from "./google-errors.ts";
import { GoogleFront } from "./google-front.ts";
import { GOOGLE_TOKEN_URL, makeServiceAccount } from "./service-account.ts";
import { TokenEndpoint } from "./token-endpoint.ts";

/** Where the real ones are; the double answers to these names as well as to its own address. */
export const GOOGLE_HOSTS = { fcm: "fcm.googleapis.com", tokens: "oauth2.googleapis.com" } as const;

export interface FcmServiceOptions {
  readonly projectId?: string;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  /** How many requests a connection may have under way; Google's 100 by default. */
  readonly maxConcurrentStreams?: number;
  /**
   * Whether SETTINGS name that number, as Google's do; true by default. Then Node's HTTP/2 refuses what is too much
   * unseen until the client has acknowledged the number. Where it is false, every excess is a violation.
   */
  readonly announcesLimit?: boolean;
  /**
   * The required `aud` of an assertion. The real audience is Google's address wherever the double stands, and the
   * default; `own` expects `tokenUrl`, for clients that name whom they ask.
   */
  readonly audience?: "google" | "own";
}

/** Firebase Cloud Messaging and Google's token endpoint on this machine: they judge every request and keep what they saw. */
export class FcmService {
  readonly projectId: string;
  /** `https://127.0.0.1:<port>`. */
  readonly origin: string;
  readonly tokenUrl: string;
  /** The certificate to trust, PEM; it is good for the loopback address and for Google's names. */
  readonly ca: string;
  /** The file of the one service account that may send, JSON as Firebase's console hands it out. */
  readonly credentials: string;
  /** The connections: how many, how busy, and how they end. */
  readonly front: GoogleFront;
  readonly tokenEndpoint: TokenEndpoint;
  readonly #now: () => number;
  readonly #tokens: AccessTokens;
  readonly #registrations = new Map<string, FcmRegistration>();
  readonly #log = new Arrivals<JudgedSend>("requests to FCM");
  readonly #script: ScriptedAnswer[] = [];

  /** Starts one on a free port of the loopback address. */
  static async start(options: FcmServiceOptions = {}): Promise<FcmService> {
    const { maxConcurrentStreams = 100, announcesLimit = true } = options;
    const started = Promise.withResolvers<FcmService>();
    const front = await GoogleFront.start({
      names: Object.values(GOOGLE_HOSTS),
      maxConcurrentStreams,
      announcesLimit,
      serve: async (exchange) => (await started.promise).#serve(exchange),
    });
    started.resolve(new FcmService(front, options));
    return started.promise;
  }

  private constructor(front: GoogleFront, options: FcmServiceOptions) {
    const { projectId = "tocsin-double", now = Date.now } = options;
    const account = makeServiceAccount(projectId);
    const tokens = new AccessTokens(now);
    this.projectId = projectId;
    this.origin = `https://${LOOPBACK}:${front.port}`;
    this.tokenUrl = `${this.origin}/token`;
    this.ca = front.ca;
    this.credentials = account.credentials;
    this.front = front;
    const audience = options.audience === "own" ? this.tokenUrl : GOOGLE_TOKEN_URL;
    this.tokenEndpoint = new TokenEndpoint({ account, tokens, audience, now });
    this.#tokens = tokens;
    this.#now = now;
  }

  /** Adds an installation of an app; it belongs to the service's own project where none is named. */
  register(of: {
    readonly projectId?: string;
    readonly deliver: (message: FcmDelivery) => void;
  }): FcmRegistration {
    const { projectId = this.projectId, deliver } = of;
    const registration = new FcmRegistration({ projectId, deliver });
    this.#registrations.set(registration.token, registration);
    this.#registrations.set(registration.fid, registration);
    return registration;
  }

  /** Every request to `messages:send`, refused ones included. */
  get judged(): readonly JudgedSend[] {
    return this.#log.all;
  }

  /** Resolves with every request to `messages:send` so far once there are `count`, answered or not. */
  async received(count: number, options: WaitOptions = {}): Promise<readonly JudgedSend[]> {
    return this.#log.received(count, options);
  }

  /** How many access tokens were handed out. */
  get minted(): number {
    return this.#tokens.minted;
  }

  /** Plans the answers to the next sends that no script of their device decides, one each. */
  script(...answers: readonly ScriptedAnswer[]): void {
    this.#script.push(...answers);
  }

  /** Stops the service; requests under way are cut off. */
  async close(): Promise<void> {
    await this.front.close();
  }

  async #serve(exchange: Exchange): Promise<void> {
    const { method, path } = exchange;
    const projectId = /^\/v1\/projects\/(?<id>[^/]+)\/messages:send$/u.exec(path)?.groups?.["id"];
    if (method === "POST" && path === "/token" && this.#isFor(exchange, GOOGLE_HOSTS.tokens)) {
      await this.tokenEndpoint.serve(exchange);
    } else if (method === "POST" && projectId && this.#isFor(exchange, GOOGLE_HOSTS.fcm)) {
      await this.#send(exchange, projectId);
    } else {
      exchange.answer(htmlPage(404));
    }
  }

  #isFor({ authority }: Exchange, host: string): boolean {
    const { port } = this.front;
    return [host, `${host}:443`, `${LOOPBACK}:${port}`, `localhost:${port}`].includes(authority);
  }

  async #send(exchange: Exchange, projectId: string): Promise<void> {
    const { path, headers, body } = exchange;
    const read = judgeMessage(body.toString(), headers["content-type"]);
    const target = read.kind === "well-formed" ? read.target : null;
    const registration = this.#registrations.get(target?.value ?? "") ?? null;
    const verdict = this.#judge(read, { projectId, registration, exchange });
    const scripted = registration?.takeScripted() ?? this.#script.shift() ?? null;
    const judged: JudgedSend = { path, headers, body, verdict, scripted };
    registration?.record(judged);
    this.#log.add(judged);
    await scripted?.after;
    if (verdict.kind === "accepted" && !verdict.isDryRun && isDelivered(scripted)) {
      const { message, name } = verdict;
      const sentTo = verdict.target.kind === "fid" ? "fid" : "token";
      registration?.deliver({ ...message, name, sentTo });
    }
    await perform(scripted, exchange, answerTo(verdict));
  }

  /** Judges in the order of Google's layers: who asks, what is asked, and of whom. */
  #judge(
    read: WellFormed | Malformed,
    of: {
      readonly projectId: string;
      readonly registration: FcmRegistration | null;
      readonly exchange: Exchange;
    },
  ): SendVerdict {
    const { authorization } = of.exchange.headers;
    const stranger = this.#tokens.check(authorization) ?? this.#checkProject(of.projectId);
    if (stranger !== null) return { kind: "refused", error: stranger };
    if (read.kind === "malformed") return { kind: "refused", error: read.error };
    const lost = this.#checkTarget(read.target, of.registration);
    if (lost !== null) return { kind: "refused", error: lost };
    // The name that a dry run gets, as Google answers it.
    const id = read.isDryRun ? "fake_message_id" : makeMessageId(this.#now());
    return { ...read, kind: "accepted", name: `projects/${of.projectId}/messages/${id}` };
  }

  #checkProject(projectId: string): GoogleError | null {
    if (projectId === this.projectId) return null;
    const registrations = [...this.#registrations.values()];
    const exists = registrations.some((registration) => registration.projectId === projectId);
    return exists ? permissionDenied(projectId) : unknownProject();
  }

  #checkTarget({ kind }: Target, registration: FcmRegistration | null): GoogleError | null {
    if (kind === "topic" || kind === "condition") return null;
    if (registration === null || registration.isGone) return unregistered();
    return registration.projectId === this.projectId ? null : senderIdMismatch();
  }
}

function answerTo(verdict: SendVerdict): RawAnswer {
  if (verdict.kind === "refused") return verdict.error;
  return {
    status: 200,
    headers: { "content-type": "application/json; charset=UTF-8" },
    body: JSON.stringify({ name: verdict.name }, null, 2),
  };
}

/** The shape of real ones: a moment in microseconds, and a number of Google's. */
function makeMessageId(nowMs: number): string {
  return `0:${Math.floor(nowMs)}000%${randomBytes(8).toString("hex")}`;
}
