import { randomBytes, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { Arrivals } from "./arrivals.ts";
import type { WaitOptions } from "./arrivals.ts";
import { makeCertificate } from "./certificate.ts";
import { LOOPBACK, closeHttp, listen } from "./listen.ts";
import { judge } from "./push-rules.ts";
import type { Verdict } from "./push-rules.ts";
import { PushSubscription } from "./push-subscription.ts";
import type { Judged, SubscriptionRequest } from "./push-subscription.ts";
import { refuse } from "./refusal.ts";
import { cutOff } from "./scripted-answer.ts";
import type { ScriptedAnswer } from "./scripted-answer.ts";
import { readBody } from "./read-body.ts";

export interface PushServiceOptions {
  /**
   * The names of the service it stands in for, as in `https://<name>/…`; reached by `dialTo`. Without names, the
   * default, it serves plain HTTP under its own address.
   */
  readonly names?: readonly [string, ...string[]] | null;
  /** Where endpoints begin, the first for new ones; each ends in a slash. */
  readonly paths?: readonly [string, ...string[]];
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
}

/** A push service on this machine that judges every message by the RFCs and keeps what it saw. */
export class PushService {
  readonly names: readonly string[];
  /** The certificate to trust, PEM; null where it serves plain HTTP. */
  readonly ca: string | null;
  readonly port: number;
  readonly #server: Server;
  readonly #origins: readonly [string, ...string[]];
  readonly #paths: readonly [string, ...string[]];
  readonly #now: () => number;
  readonly #subscriptions = new Map<string, PushSubscription>();
  readonly #log = new Arrivals<Judged>("requests to the push service");

  /** Starts one on a free port of the loopback address. */
  static async start(options: PushServiceOptions = {}): Promise<PushService> {
    const certificate = options.names ? makeCertificate(options.names) : null;
    const server =
      certificate === null
        ? createServer()
        : createTlsServer({ key: certificate.key, cert: certificate.cert });
    const port = await listen(server);
    return new PushService({ server, port, ca: certificate?.cert ?? null }, options);
  }

  private constructor(
    at: { readonly server: Server; readonly port: number; readonly ca: string | null },
    { names, paths = ["/push/"], now = Date.now }: PushServiceOptions,
  ) {
    this.names = names ?? [];
    this.ca = at.ca;
    this.port = at.port;
    this.#server = at.server;
    this.#paths = paths;
    this.#now = now;
    const [first, ...others] = this.names.map((name) => `https://${name}`);
    this.#origins = [first ?? `http://${LOOPBACK}:${at.port}`, ...others];
    at.server.on("request", (request: IncomingMessage, response: ServerResponse) => {
      // A sender that hangs up while it is being read is its own affair.
      this.#serve(request, response).catch(() => response.destroy());
    });
  }

  /** Makes a subscription; the token is the last part of its endpoint. */
  subscribe(
    of: SubscriptionRequest,
    token = randomBytes(24).toString("base64url"),
  ): PushSubscription {
    const endpoint = `${this.#origins[0]}${this.#paths[0]}${token}`;
    const subscription = new PushSubscription({ token, endpoint }, of);
    this.#subscriptions.set(token, subscription);
    return subscription;
  }

  /** Every request so far, unknown endpoints included. */
  get judged(): readonly Judged[] {
    return this.#log.all;
  }

  /** Resolves with every request so far once there are `count`, answered or not. */
  async received(count: number, options: WaitOptions = {}): Promise<readonly Judged[]> {
    return this.#log.received(count, options);
  }

  /** Stops the service; requests under way are cut off. */
  async close(): Promise<void> {
    await closeHttp(this.#server);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    const path = request.url ?? "";
    const subscription = this.#find(path);
    const verdict = this.#judge({ request, body, subscription });
    const scripted = subscription?.takeScripted() ?? null;
    const judged: Judged = { path, headers: request.headers, body, verdict, scripted };
    subscription?.record(judged);
    this.#log.add(judged);
    await scripted?.after;
    const messageId = randomUUID();
    if (verdict.kind === "accepted" && isDelivered(scripted)) {
      subscription?.deliver({ ...verdict, messageId, body });
    }
    if (scripted === null || scripted.kind === "verdict") {
      answerByVerdict(response, verdict, `${this.#origins[0]}/m/${messageId}`);
    } else {
      answerByScript(response, scripted);
    }
  }

  #find(path: string): PushSubscription | null {
    const prefix = this.#paths.find((candidate) => path.startsWith(candidate));
    if (prefix === undefined) return null;
    return this.#subscriptions.get(decodeURIComponent(path.slice(prefix.length))) ?? null;
  }

  #judge(arrived: {
    readonly request: IncomingMessage;
    readonly body: Buffer;
    readonly subscription: PushSubscription | null;
  }): Verdict {
    const { method = "", headers } = arrived.request;
    const origin = this.#origins.find((candidate) => candidate.endsWith(`//${headers.host}`));
    if (origin === undefined) return refuse(421, 0, "No such service is served here.");
    if (arrived.subscription === null) return refuse(404, 102, "No such endpoint.");
    if (arrived.subscription.isGone) return refuse(410, 103, "The subscription has ended.");
    const { applicationServerKey } = arrived.subscription;
    const { body } = arrived;
    return judge({ method, origin, headers, body, applicationServerKey, nowMs: this.#now() });
  }
}

function isDelivered(scripted: ScriptedAnswer | null): boolean {
  if (scripted?.kind === "reset") return scripted.delivers === true;
  return scripted === null || scripted.kind === "verdict";
}

function answerByVerdict(response: ServerResponse, verdict: Verdict, location: string): void {
  if (verdict.kind === "accepted") {
    response.writeHead(201, { location, ttl: String(verdict.ttlSeconds) }).end();
    return;
  }
  const { status, errno, message } = verdict;
  const headers = status === 401 ? { "www-authenticate": "vapid" } : {};
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify({ code: status, errno, message }));
}

function answerByScript(
  response: ServerResponse,
  scripted: Exclude<ScriptedAnswer, { readonly kind: "verdict" }>,
): void {
  switch (scripted.kind) {
    case "answer":
      response.writeHead(scripted.status, scripted.headers).end(scripted.body);
      break;
    case "reset":
      cutOff(response, scripted.when);
      break;
    case "hang":
      break;
  }
}
