import { setTimeout as wait } from "node:timers/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { closeHttpServer, listen, LOOPBACK } from "../doubles/listen.ts";
import { generateReceiverKeys, type PublicKeys } from "../doubles/receiver-keys.ts";
import { validatePush } from "../doubles/push-rules.ts";
import { readBody } from "../doubles/read-body.ts";
import type { Scope } from "../support/scope.ts";

const PATH = "/push/";
/**
 * Matches one in eight topics, as a topic is a digest in base64url. If `failsFirstAttempts` is set, the first attempt
 * of a message with such a topic fails.
 */
export const FAILING_TOPIC = /^[A-H]/;

/** Options of a push service. */
export interface CampaignPushServiceOptions {
  /** Returns the VAPID public key of the only sender, base64url. */
  readonly getApplicationServerKey: () => string;
  /** Matches refusals that the fault explains. */
  readonly expectedRefusals?: RegExp;
}

/**
 * A push service that validates as strictly as the tests' double, but stores only the topic and subscription of each
 * message: a campaign sends millions.
 */
export class CampaignPushService {
  /** Number of messages by topic and subscription name. */
  readonly messageCounts = new Map<string, Map<string, number>>();
  /** Time of the last message of each topic, of `performance.now()`. */
  readonly lastMessageAtByTopic = new Map<string, number>();
  /** Reasons of refused requests that no fault explains. */
  readonly refusalReasons: string[] = [];
  /** Delay of each response. */
  delayMs = 0;
  /** If true, the service fails every request. */
  isDown = false;
  /** If true, the first attempt of some messages fails, for each subscription. */
  failsFirstAttempts = false;
  /** Called with the subscription name of every accepted message. */
  onMessage: (subscription: string) => void = () => {};
  readonly #options: CampaignPushServiceOptions;
  readonly #keys = generateReceiverKeys().publicKeys;
  #origin = "";
  readonly #failedAttempts = new Set<string>();
  #requestCount = 0;
  #acceptedCount = 0;

  /** Starts a push service on a free port; it stops with the scope. */
  static async start(
    scope: Scope,
    options: CampaignPushServiceOptions,
  ): Promise<CampaignPushService> {
    const pushService = new CampaignPushService(options);
    const server = createServer((request, response) => {
      // A sender may be killed in the middle of a request.
      pushService.#serve(request, response).catch(() => response.destroy());
    });
    pushService.#origin = `http://${LOOPBACK}:${await listen(server)}`;
    scope.after(() => closeHttpServer(server));
    return pushService;
  }

  private constructor(options: CampaignPushServiceOptions) {
    this.#options = options;
  }

  get origin(): string {
    return this.#origin;
  }

  /** Number of requests so far, including refused ones. */
  get requestCount(): number {
    return this.#requestCount;
  }

  /** Number of accepted messages so far. */
  get acceptedCount(): number {
    return this.#acceptedCount;
  }

  /** Returns a browser's subscription with this name. All subscriptions share one pair of keys. */
  createSubscription(name: string): { readonly endpoint: string; readonly keys: PublicKeys } {
    return { endpoint: `${this.#origin}${PATH}${name}`, keys: this.#keys };
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    this.#requestCount += 1;
    if (this.isDown) {
      response.writeHead(503).end();
      return;
    }
    const { method = "", headers } = request;
    const origin = `http://${headers.host}`;
    const applicationServerKey = this.#options.getApplicationServerKey();
    const nowMs = Date.now();
    const verdict = validatePush({ method, origin, headers, body, applicationServerKey, nowMs });
    if (verdict.kind !== "accepted" || verdict.topic === null) {
      const reason = verdict.kind === "accepted" ? "There is no topic." : verdict.message;
      if (this.#options.expectedRefusals?.test(reason) !== true) this.refusalReasons.push(reason);
      response.writeHead(verdict.kind === "accepted" ? 400 : verdict.status).end(reason);
      return;
    }
    const subscription = (request.url ?? "").slice(PATH.length);
    if (this.failsFirstAttempts && this.#shouldFail(`${verdict.topic} ${subscription}`)) {
      response.writeHead(503).end();
      return;
    }
    // Counted before the response, because a sender that is killed in between has sent the message.
    this.#recordMessage(verdict.topic, subscription);
    if (this.delayMs > 0) await wait(this.delayMs);
    response.writeHead(201, { location: `${origin}/m/1`, ttl: String(verdict.ttlSeconds) }).end();
  }

  #shouldFail(attempt: string): boolean {
    if (!FAILING_TOPIC.test(attempt) || this.#failedAttempts.has(attempt)) return false;
    this.#failedAttempts.add(attempt);
    return true;
  }

  #recordMessage(topic: string, subscription: string): void {
    this.#acceptedCount += 1;
    const counts = this.messageCounts.get(topic) ?? new Map<string, number>();
    counts.set(subscription, (counts.get(subscription) ?? 0) + 1);
    this.messageCounts.set(topic, counts);
    this.lastMessageAtByTopic.set(topic, performance.now());
    this.onMessage(subscription);
  }
}
