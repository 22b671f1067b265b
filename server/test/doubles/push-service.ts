import { randomBytes, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { Arrivals, type WaitOptions } from "./arrivals.ts";
import { generateCertificate } from "./certificate.ts";
import { LOOPBACK, closeHttpServer, listen } from "./listen.ts";
import { validatePush, type Verdict } from "./push-rules.ts";
import {
  PushSubscription,
  type PushRecord,
  type SubscriptionRequest,
} from "./push-subscription.ts";
import { createRefusal } from "./push-refusal.ts";
import { cutConnection, type PushScript } from "./push-script.ts";
import { readBody } from "./read-body.ts";

/** The host names, endpoint paths and clock of a service. */
export interface PushServiceOptions {
  /**
   * Host names of the replaced service, as in `https://<name>/…`, to connect with `createDoubleConnector`. Without
   * names, the default, the double serves plain HTTP at its own address.
   */
  readonly names?: readonly [string, ...string[]] | null;
  /** Path prefixes of endpoints, each with a final slash. New ones use the first. */
  readonly paths?: readonly [string, ...string[]];
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** A local push service that validates every message by the RFCs and logs it. */
export class PushService {
  readonly names: readonly string[];
  /** The certificate to trust, PEM; null for plain HTTP. */
  readonly ca: string | null;
  readonly port: number;
  readonly #server: Server;
  readonly #origins: readonly [string, ...string[]];
  readonly #paths: readonly [string, ...string[]];
  readonly #now: () => number;
  readonly #subscriptions = new Map<string, PushSubscription>();
  readonly #log = new Arrivals<PushRecord>("requests to the push service");

  /** Starts a service on a free loopback port. */
  static async start(options: PushServiceOptions = {}): Promise<PushService> {
    const certificate = options.names ? generateCertificate(options.names) : null;
    const server =
      certificate === null
        ? createServer()
        : createTlsServer({ key: certificate.key, cert: certificate.cert });
    const port = await listen(server);
    return new PushService({ server, port, ca: certificate?.cert ?? null }, options);
  }

  private constructor(
    listener: { readonly server: Server; readonly port: number; readonly ca: string | null },
    { names, paths = ["/push/"], now = Date.now }: PushServiceOptions,
  ) {
    this.names = names ?? [];
    this.ca = listener.ca;
    this.port = listener.port;
    this.#server = listener.server;
    this.#paths = paths;
    this.#now = now;
    const [first, ...others] = this.names.map((name) => `https://${name}`);
    this.#origins = [first ?? `http://${LOOPBACK}:${listener.port}`, ...others];
    listener.server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      // A sender may disconnect while its request is being read.
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  /** Creates a subscription. The token is the last part of its endpoint. */
  subscribe(
    options: SubscriptionRequest,
    token = randomBytes(24).toString("base64url"),
  ): PushSubscription {
    const endpoint = `${this.#origins[0]}${this.#paths[0]}${token}`;
    const subscription = new PushSubscription({ token, endpoint }, options);
    this.#subscriptions.set(token, subscription);
    return subscription;
  }

  /** Every request so far, including unknown endpoints. */
  get requests(): readonly PushRecord[] {
    return this.#log.all;
  }

  /** Resolves with all requests once there are `count`, answered or not. */
  async waitForRequests(count: number, options: WaitOptions = {}): Promise<readonly PushRecord[]> {
    return this.#log.waitForCount(count, options);
  }

  /** Stops the service and aborts pending requests. */
  async close(): Promise<void> {
    await closeHttpServer(this.#server);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    const path = request.url ?? "";
    const subscription = this.#find(path);
    const verdict = this.#validate({ request, body, subscription });
    const script = subscription?.takeScript() ?? null;
    const record: PushRecord = { path, headers: request.headers, body, verdict, script };
    subscription?.record(record);
    this.#log.add(record);
    await script?.after;
    const messageId = randomUUID();
    if (verdict.kind === "accepted" && isDelivered(script)) {
      subscription?.deliver({ ...verdict, messageId, body });
    }
    if (script === null || script.kind === "verdict") {
      respondWithVerdict(response, verdict, `${this.#origins[0]}/m/${messageId}`);
    } else {
      respondWithScript(response, script);
    }
  }

  #find(path: string): PushSubscription | null {
    const prefix = this.#paths.find((candidate) => path.startsWith(candidate));
    if (prefix === undefined) return null;
    return this.#subscriptions.get(decodeURIComponent(path.slice(prefix.length))) ?? null;
  }

  #validate(received: {
    readonly request: IncomingMessage;
    readonly body: Buffer;
    readonly subscription: PushSubscription | null;
  }): Verdict {
    const { method = "", headers } = received.request;
    const origin = this.#origins.find((candidate) => candidate.endsWith(`//${headers.host}`));
    if (origin === undefined) return createRefusal(421, 0, "This host is not served here.");
    if (received.subscription === null)
      return createRefusal(404, 102, "The endpoint does not exist.");
    if (received.subscription.isGone) return createRefusal(410, 103, "The subscription has ended.");
    const { applicationServerKey } = received.subscription;
    const { body } = received;
    return validatePush({
      method,
      origin,
      headers,
      body,
      applicationServerKey,
      nowMs: this.#now(),
    });
  }
}

function isDelivered(script: PushScript | null): boolean {
  if (script?.kind === "reset-connection") return script.delivers === true;
  return script === null || script.kind === "verdict";
}

function respondWithVerdict(response: ServerResponse, verdict: Verdict, location: string): void {
  if (verdict.kind === "accepted") {
    response.writeHead(201, { location, ttl: String(verdict.ttlSeconds) }).end();
    return;
  }
  const { status, errno, message } = verdict;
  const headers = status === 401 ? { "www-authenticate": "vapid" } : {};
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify({ code: status, errno, message }));
}

function respondWithScript(
  response: ServerResponse,
  script: Exclude<PushScript, { readonly kind: "verdict" }>,
): void {
  switch (script.kind) {
    case "answer":
      response.writeHead(script.status, script.headers).end(script.body);
      break;
    case "reset-connection":
      cutConnection(response, script.when);
      break;
    case "hang":
      break;
  }
}
