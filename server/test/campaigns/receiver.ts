import { setTimeout as wait } from "node:timers/promises";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { closeHttp, listen, LOOPBACK } from "../doubles/listen.ts";
import { makeReceiverKeys, type PublicKeys } from "../doubles/push-decrypt.ts";
import { judge } from "../doubles/push-rules.ts";
import { readBody } from "../doubles/read-body.ts";
import type { Scope } from "../support/scope.ts";

const PATH = "/push/";
/** Topics are digests: where the first attempt fails, it does for every eighth notification. */
export const FAILS_FIRST = /^[A-H]/;

export interface ReceiverOptions {
  /** The public key of the only sender, base64url. */
  readonly applicationServerKey: () => string;
  /** Reasons of a refusal that the fault explains. */
  readonly refusals?: RegExp;
}

/**
 * A push service that judges as strictly as the double of the tests, and keeps of each message only to which address it
 * went and under which topic: a campaign sends millions.
 */
export class Receiver {
  /** Of each topic, how often each address got it. */
  readonly received = new Map<string, Map<string, number>>();
  /** When each topic was received for the last time, of `performance.now()`. */
  readonly lastAt = new Map<string, number>();
  /** Why requests were refused that no push service would take. */
  readonly refused: string[] = [];
  /** Set, requests are answered so late. */
  delayMs = 0;
  /** True where the service fails for everybody. */
  isDown = false;
  /** True where the first attempt at some of the messages fails, for each address. */
  failsFirst = false;
  /** Called with every message that is taken. */
  onMessage: (address: string) => void = () => {};
  readonly #options: ReceiverOptions;
  readonly #keys = makeReceiverKeys().publicKeys;
  #origin = "";
  readonly #failed = new Set<string>();
  #requests = 0;
  #taken = 0;

  /** Starts it on a free port; it ends with the scope. */
  static async start(scope: Scope, options: ReceiverOptions): Promise<Receiver> {
    const receiver = new Receiver(options);
    const server = createServer((request, response) => {
      // A sender that is killed in the middle of a request is what this is about.
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

  /** Requests so far, refused ones among them. */
  get requests(): number {
    return this.#requests;
  }

  /** Messages that were taken so far. */
  get taken(): number {
    return this.#taken;
  }

  /** Returns a subscription as a browser has it; all share one pair of keys. */
  subscription(address: string): { readonly endpoint: string; readonly keys: PublicKeys } {
    return { endpoint: `${this.#origin}${PATH}${address}`, keys: this.#keys };
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
    const verdict = judge({ method, origin, headers, body, applicationServerKey, nowMs });
    if (verdict.kind !== "accepted" || verdict.topic === null) {
      const reason = verdict.kind === "accepted" ? "There is no topic." : verdict.message;
      if (this.#options.refusals?.test(reason) !== true) this.refused.push(reason);
      response.writeHead(verdict.kind === "accepted" ? 400 : verdict.status).end(reason);
      return;
    }
    const address = (request.url ?? "").slice(PATH.length);
    if (this.failsFirst && this.#failsNow(`${verdict.topic} ${address}`)) {
      response.writeHead(503).end();
      return;
    }
    // Taken before it is answered: a sender that dies in between has sent.
    this.#take(verdict.topic, address);
    if (this.delayMs > 0) await wait(this.delayMs);
    response.writeHead(201, { location: `${origin}/m/1`, ttl: String(verdict.ttlSeconds) }).end();
  }

  #failsNow(attempt: string): boolean {
    if (!FAILS_FIRST.test(attempt) || this.#failed.has(attempt)) return false;
    this.#failed.add(attempt);
    return true;
  }

  #take(topic: string, address: string): void {
    this.#taken += 1;
    const addresses = this.received.get(topic) ?? new Map<string, number>();
    addresses.set(address, (addresses.get(address) ?? 0) + 1);
    this.received.set(topic, addresses);
    this.lastAt.set(topic, performance.now());
    this.onMessage(address);
  }
}
