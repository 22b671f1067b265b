import { Agent } from "undici";
import type { Http2Client, Http2Connection, Http2Exchange, Http2Request } from "../http2/http2.ts";
import { post } from "../post.ts";

/** The server of an HTTP/1.1 client, and its connection limit. */
export interface Http1ClientOptions {
  /** The origin of the server: `http:` with host and port. */
  readonly origin: string;
  readonly connectionsMax: number;
}

const CONNECT_TIMEOUT_MS = 5_000;

/** A connection that cannot be retired: undici keeps or closes it according to the response. */
const NO_OP_CONNECTION: Http2Connection = { retire() {} };

/** Returns a client for an emulator that speaks plain HTTP/1.1, with the interface of the HTTP/2 client. */
export function createHttp1Client(options: Http1ClientOptions): Http2Client {
  return new Http1Client(options);
}

class Http1Client implements Http2Client {
  readonly #origin: string;
  readonly #agent: Agent;

  constructor({ origin, connectionsMax }: Http1ClientOptions) {
    this.#origin = origin;
    this.#agent = new Agent({
      connections: connectionsMax,
      connect: { timeout: CONNECT_TIMEOUT_MS },
    });
  }

  async request({ path, headers, body, signal }: Http2Request): Promise<Http2Exchange> {
    const url = new URL(path, this.#origin);
    const exchange = await post(this.#agent, { url, headers, body, signal });
    switch (exchange.kind) {
      case "answered":
        return { ...exchange, connection: NO_OP_CONNECTION };
      case "unsent":
        return {
          ...exchange,
          kind: "unprocessed",
          cause: signal.aborted ? "aborted" : "unreachable",
        };
      case "lost":
        return exchange;
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}
