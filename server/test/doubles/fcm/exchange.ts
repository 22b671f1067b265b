import { constants } from "node:http2";
import type { Http2ServerRequest, Http2ServerResponse, ServerHttp2Stream } from "node:http2";
import type { IncomingHttpHeaders } from "node:http";
import type { ConnectionLog } from "./connection-log.ts";

/** The answer to a request. */
export interface RawAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One request that arrived, whole, over either version of HTTP, and the ways in which it can end. */
export class Exchange {
  readonly method: string;
  /** The name and port that the client asked for. */
  readonly authority: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly connection: ConnectionLog;
  readonly #response: Http2ServerResponse;
  /** Null on HTTP/1.1. */
  readonly #stream: ServerHttp2Stream | null;

  constructor(
    request: Http2ServerRequest,
    response: Http2ServerResponse,
    read: { readonly body: Buffer; readonly connection: ConnectionLog },
  ) {
    this.method = request.method;
    this.authority = request.headers[":authority"] ?? request.headers.host ?? "";
    this.path = request.url;
    this.headers = request.headers;
    this.body = read.body;
    this.connection = read.connection;
    this.#response = response;
    this.#stream = streamOf(request);
  }

  /** Answers; a client that has gone in the meantime changes nothing. */
  answer({ status, headers = {}, body = "" }: RawAnswer): void {
    this.connection.end(this.#response);
    this.#response.writeHead(status, headers).end(body);
  }

  /** Sends the headers and the first byte of a body that never ends. */
  async beginAnswer(status: number): Promise<void> {
    this.#response.writeHead(status, { "content-type": "application/json; charset=UTF-8" });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#response.write("{", () => resolve());
    await promise;
  }

  /** Ends this stream alone with an error code of RFC 9113 section 7; on HTTP/1.1, the connection. */
  reset(code: number): void {
    this.connection.end(this.#response);
    if (this.#stream === null) this.connection.cut();
    else this.#stream.close(code);
  }

  /** Tells the client that this connection takes no more, and whether this very request was still taken. */
  goAway(code: number, isProcessed: boolean, reason: string): void {
    const { session } = this.connection;
    if (session === null || this.#stream === null) {
      this.connection.cut();
      return;
    }
    if (session.destroyed) return;
    const { id = 0 } = this.#stream;
    const last = isProcessed ? id : id - 2;
    session.goaway(code, last, Buffer.from(reason));
    // Node takes a last stream below 1 for "the last that came": the very first stream is refused by itself.
    if (last < 1) this.#stream.close(NGHTTP2_REFUSED_STREAM);
  }
}

/** Error codes of RFC 9113 section 7. */
export const {
  NGHTTP2_INTERNAL_ERROR,
  NGHTTP2_NO_ERROR,
  NGHTTP2_PROTOCOL_ERROR,
  NGHTTP2_REFUSED_STREAM,
} = constants;

/** Node serves HTTP/1.1 by the same event with other objects, which its types do not know. */
function streamOf(request: Http2ServerRequest): ServerHttp2Stream | null {
  const stream: ServerHttp2Stream | undefined = request.stream;
  return stream ?? null;
}
