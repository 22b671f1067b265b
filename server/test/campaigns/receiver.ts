import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { closeHttp, listen, LOOPBACK } from "../doubles/listen.ts";
import { makeReceiverKeys, type PublicKeys } from "../doubles/push-decrypt.ts";
import { judge } from "../doubles/push-rules.ts";
import { readBody } from "../doubles/read-body.ts";
import type { Scope } from "../support/scope.ts";

const PATH = "/push/";

/**
 * A push service that judges as strictly as the double of the tests, and keeps of each message only to which address it
 * went and under which topic: a campaign sends millions.
 */
export class Receiver {
  /** Of each topic, how often each address got it. */
  readonly received = new Map<string, Map<string, number>>();
  /** Requests that no push service would take. */
  readonly refused: string[] = [];
  /** Set, requests are answered so late. */
  delayMs = 0;
  /** True where the service fails for everybody. */
  isDown = false;
  /** Called with every message that is taken. */
  onMessage: (address: string) => void = () => {};
  readonly #applicationServerKey: () => string;
  readonly #keys = makeReceiverKeys().publicKeys;
  #origin = "";
  #requests = 0;
  #taken = 0;

  /** Starts it on a free port; it ends with the scope. */
  static async start(scope: Scope, applicationServerKey: () => string): Promise<Receiver> {
    const receiver = new Receiver(applicationServerKey);
    const server = createServer((request, response) => {
      // A sender that is killed in the middle of a request is what this is about.
      receiver.#serve(request, response).catch(() => response.destroy());
    });
    receiver.#origin = `http://${LOOPBACK}:${await listen(server)}`;
    scope.after(() => closeHttp(server));
    return receiver;
  }

  private constructor(applicationServerKey: () => string) {
    this.#applicationServerKey = applicationServerKey;
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
    const applicationServerKey = this.#applicationServerKey();
    const nowMs = Date.now();
    const verdict = judge({ method, origin, headers, body, applicationServerKey, nowMs });
    if (verdict.kind !== "accepted" || verdict.topic === null) {
      this.refused.push(verdict.kind === "accepted" ? "no topic" : verdict.message);
      response.writeHead(400).end();
      return;
    }
    // Taken before it is answered: a sender that dies in between has sent.
    this.#take(verdict.topic, (request.url ?? "").slice(PATH.length));
    if (this.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, this.delayMs));
    response.writeHead(201, { location: `${origin}/m/1`, ttl: String(verdict.ttlSeconds) }).end();
  }

  #take(topic: string, address: string): void {
    this.#taken += 1;
    const addresses = this.received.get(topic) ?? new Map<string, number>();
    addresses.set(address, (addresses.get(address) ?? 0) + 1);
    this.received.set(topic, addresses);
    this.onMessage(address);
  }
}
