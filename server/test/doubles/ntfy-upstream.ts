import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { TestContext } from "node:test";

/** A request to wake a phone, as an upstream server of ntfy gets it. */
export interface WakeRequest {
  /** The SHA-256 of the topic's address, in hex. */
  readonly hash: string;
  readonly pollId: string;
  readonly authorization: string | null;
}

/** A server of ntfy that wakes phones on behalf of other servers. Refuses requests that say more than they must. */
export class NtfyUpstream {
  readonly requests: WakeRequest[] = [];
  /** The status of its responses to valid requests; null if it never responds. */
  status: number | null = 200;
  readonly #server = createServer((request, response) => {
    void this.#handle(request, response);
  });

  /** Starts on a free port, and stops with the test. Returns its origin. */
  async start(t: TestContext): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.listen(0, "127.0.0.1", resolve);
    await promise;
    t.after(() => {
      this.#server.close();
      this.#server.closeAllConnections();
    });
    // A listening server has this address.
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = "", headers } = request;
    const body = await buffer(request);
    const pollId = headers["x-poll-id"];
    const isValid =
      method === "POST" && HASH_PATH.test(url) && typeof pollId === "string" && pollId !== "";
    if (!isValid || body.length > 0 || Object.keys(headers).some(isForbidden)) {
      response.writeHead(400).end();
      return;
    }
    const authorization = headers.authorization ?? null;
    this.requests.push({ hash: url.slice(1), pollId, authorization });
    if (this.status !== null) response.writeHead(this.status).end("{}");
  }
}

const HASH_PATH = /^\/[0-9a-f]{64}$/;

/** Headers in which ntfy takes a title, a text or a place for answers. */
function isForbidden(name: string): boolean {
  return /^(x-)?(title|message|tags|click|actions|email|call|cookie|referer)$/.test(name);
}
