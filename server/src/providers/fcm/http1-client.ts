import { Agent } from "undici";
import type { Http2Client, Http2Connection, Http2Exchange, Http2Request } from "../http2/http2.ts";
import { post } from "../post.ts";

export interface Http1Settings {
  /** `http:` with host and port. */
  readonly origin: string;
  readonly connectionsMax: number;
}

const CONNECT_TIMEOUT_MS = 5_000;

/** Does nothing: over HTTP/1.1, undici keeps or closes a connection according to the response. */
const CONNECTION: Http2Connection = { retire() {} };

/** Returns a client for an emulator that speaks plain HTTP/1.1, with the interface of the HTTP/2 client. */
export function createHttp1Client(settings: Http1Settings): Http2Client {
  return new Http1Client(settings);
}

class Http1Client implements Http2Client {
  readonly #origin: string;
  readonly #agent: Agent;

  constructor({ origin, connectionsMax }: Http1Settings) {
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
        return { ...exchange, connection: CONNECTION };
      case "unsent":
        return { ...exchange, cause: signal.aborted ? "given up" : "unreachable" };
      case "lost":
        return exchange;
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}
