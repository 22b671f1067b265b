import { setTimeout as wait } from "node:timers/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { closeHttp, listen, LOOPBACK } from "../doubles/listen.ts";
import { generateReceiverKeys, type PublicKeys } from "../doubles/push-decrypt.ts";
import { validatePush } from "../doubles/push-rules.ts";
import { readBody } from "../doubles/read-body.ts";
import type { Scope } from "../support/scope.ts";

const PATH = "/push/";
/** Matches one in eight topics, which are digests: their first attempt fails if `failsFirst` is set. */
export const FAILS_FIRST = /^[A-H]/;

/** Options of a receiver. */
export interface ReceiverOptions {
  /** Returns the VAPID public key of the only sender, base64url. */
  readonly applicationServerKey: () => string;
  /** Matches refusals that the fault explains. */
  readonly refusals?: RegExp;
}

/**
 * A push service that validates as strictly as the tests' double, but stores only the topic and subscription of each
 * message: a campaign sends millions.
 */
export class Receiver {
  /** Number of messages by topic and subscription name. */
  readonly received = new Map<string, Map<string, number>>();
  /** Time of the last message of each topic, of `performance.now()`. */
  readonly lastAt = new Map<string, number>();
  /** Reasons of refused requests that no fault explains. */
  readonly refused: string[] = [];
  /** Delay of each response. */
  delayMs = 0;
  /** If true, the service fails every request. */
  isDown = false;
  /** If true, the first attempt of some messages fails, for each subscription. */
  failsFirst = false;
  /** Called with the subscription name of every accepted message. */
  onMessage: (subscription: string) => void = () => {};
  readonly #options: ReceiverOptions;
  readonly #keys = generateReceiverKeys().publicKeys;
  #origin = "";
  readonly #failed = new Set<string>();
  #requests = 0;
  #accepted = 0;

  /** Starts a receiver on a free port; it stops with the scope. */
  static async start(scope: Scope, options: ReceiverOptions): Promise<Receiver> {
    const receiver = new Receiver(options);
    const server = createServer((request, response) => {
      // A sender may be killed in the middle of a request.
      receiver.#serve(request, response).catch(() => response.destroy());
    });
    receiver.#origin = `http://${LOOPBACK}:${await listen(server)}`;
    scope.after(() => closeHttp(server));
    return receiver;
  }

  private constructor(options: ReceiverOptions) {
    this.#options = options;
  }

  get origin(): string {
    return this.#origin;
  }

  /** Number of requests so far, including refused ones. */
  get requests(): number {
    return this.#requests;
  }

  /** Number of accepted messages so far. */
  get accepted(): number {
    return this.#accepted;
  }

  /** Returns a browser's subscription with this name; all share one pair of keys. */
  subscription(name: string): { readonly endpoint: string; readonly keys: PublicKeys } {
    return { endpoint: `${this.#origin}${PATH}${name}`, keys: this.#keys };
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    this.#requests += 1;
    if (this.isDown) {
      response.writeHead(503).end();
      return;
    }
    const { method = "", headers } = request;
    const origin = `http://${headers.host}`;
    const applicationServerKey = this.#options.applicationServerKey();
    const nowMs = Date.now();
    const verdict = validatePush({ method, origin, headers, body, applicationServerKey, nowMs });
    if (verdict.kind !== "accepted" || verdict.topic === null) {
      const reason = verdict.kind === "accepted" ? "There is no topic." : verdict.message;
      if (this.#options.refusals?.test(reason) !== true) this.refused.push(reason);
      response.writeHead(verdict.kind === "accepted" ? 400 : verdict.status).end(reason);
      return;
    }
    const subscription = (request.url ?? "").slice(PATH.length);
    if (this.failsFirst && this.#failsNow(`${verdict.topic} ${subscription}`)) {
      response.writeHead(503).end();
      return;
    }
    // Counted before the response: a sender that is killed in between has sent it.
    this.#accept(verdict.topic, subscription);
    if (this.delayMs > 0) await wait(this.delayMs);
    response.writeHead(201, { location: `${origin}/m/1`, ttl: String(verdict.ttlSeconds) }).end();
  }

  #failsNow(attempt: string): boolean {
    if (!FAILS_FIRST.test(attempt) || this.#failed.has(attempt)) return false;
    this.#failed.add(attempt);
    return true;
  }

  #accept(topic: string, subscription: string): void {
    this.#accepted += 1;
    const counts = this.received.get(topic) ?? new Map<string, number>();
    counts.set(subscription, (counts.get(subscription) ?? 0) + 1);
    this.received.set(topic, counts);
    this.lastAt.set(topic, performance.now());
    this.onMessage(subscription);
  }
}
