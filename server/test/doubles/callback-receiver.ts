import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { Webhook } from "standardwebhooks";
import { Arrivals } from "./arrivals.ts";
import { generateCertificate } from "./certificate.ts";
import { LOOPBACK, closeHttpServer, listen } from "./listen.ts";
import { readBody } from "./read-body.ts";

/** A call that the receiver has recorded. */
export interface ReceivedCall {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The secrets with which the package `standardwebhooks` accepts the call. */
  readonly acceptedSecrets: readonly string[];
}

/** Answers a call that the receiver has recorded; by default with 204, or with 401 if no signature is valid. */
export type CallbackAnswer = (response: ServerResponse, call: ReceivedCall) => void;

/** The secrets, the clock and the host names of a receiver. */
export interface CallbackReceiverOptions {
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  /** Host names for TLS. Without names, the receiver serves plain HTTP on loopback. */
  readonly names?: readonly [string, ...string[]];
}

/** A local receiver of callbacks that verifies every call with the package `standardwebhooks`. */
export class CallbackReceiver {
  /** `http://127.0.0.1:<port>`, or the first name with `https`. */
  readonly origin: string;
  /** The certificate to trust, PEM; undefined for plain HTTP. */
  readonly ca: string | undefined;
  /** The secrets that the receiver knows. */
  readonly secrets: string[] = [];
  readonly #server: Server;
  readonly #now: () => number;
  readonly #calls = new Arrivals<ReceivedCall>("callbacks");
  #answer: CallbackAnswer = (response, { acceptedSecrets }) => {
    response.writeHead(acceptedSecrets.length > 0 ? 204 : 401).end();
  };

  /** Starts a receiver on a free loopback port. */
  static async start(options: CallbackReceiverOptions = {}): Promise<CallbackReceiver> {
    const { names } = options;
    const certificate = names === undefined ? undefined : generateCertificate(names);
    const server = certificate === undefined ? createServer() : createTlsServer(certificate);
    const port = await listen(server);
    const origin =
      names === undefined ? `http://${LOOPBACK}:${port}` : `https://${names[0]}:${port}`;
    return new CallbackReceiver({ server, origin, ca: certificate?.cert }, options);
  }

  private constructor(
    listener: { readonly server: Server; readonly origin: string; readonly ca: string | undefined },
    { now = Date.now }: CallbackReceiverOptions,
  ) {
    this.#server = listener.server;
    this.origin = listener.origin;
    this.ca = listener.ca;
    this.#now = now;
    this.#server.on("request", (request, response) => {
      response.on("error", ignore);
      this.#receive(request, response).catch(ignore);
    });
  }

  /** All calls so far. */
  get calls(): readonly ReceivedCall[] {
    return this.#calls.all;
  }

  /** Sets the answer to all further calls. */
  answerWith(answer: CallbackAnswer): void {
    this.#answer = answer;
  }

  /** Answers all further calls with the status. */
  answerWithStatus(status: number): void {
    this.answerWith((response) => response.writeHead(status).end());
  }

  /** Resolves with all calls once there are at least `count`. */
  async waitForCalls(count: number): Promise<readonly ReceivedCall[]> {
    return this.#calls.waitForCount(count);
  }

  /** Closes the server and all connections. */
  async close(): Promise<void> {
    await closeHttpServer(this.#server);
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await readBody(request)).toString();
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    const acceptedSecrets = this.secrets.filter((secret) => this.#verifies(secret, body, headers));
    const call = { path: request.url ?? "", headers, body, acceptedSecrets };
    // Read before the call is recorded: a test that waits for the call may then set the next answer.
    const answer = this.#answer;
    this.#calls.add(call);
    answer(response, call);
  }

  /** Returns whether the package accepts the call at the receiver's time. The package itself reads `Date.now`. */
  #verifies(secret: string, body: string, headers: Readonly<Record<string, string>>): boolean {
    const machineNow = Date.now;
    Date.now = this.#now;
    try {
      new Webhook(secret).verify(body, { ...headers });
      return true;
    } catch {
      return false;
    } finally {
      Date.now = machineNow;
    }
  }
}

/** Ignores errors, because some tests abort requests. */
function ignore(): void {}
