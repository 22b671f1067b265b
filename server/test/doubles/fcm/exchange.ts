import {
  constants,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Stream,
} from "node:http2";
import type { IncomingHttpHeaders } from "node:http";
import type { ConnectionLog } from "./connection-log.ts";

/** The response to a request. */
export interface RawResponse {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Streams that clients open have odd numbers. */
const STREAM_ID_STEP = 2;

/** A complete request over HTTP/1.1 or HTTP/2, and the ways to end it. */
export class Exchange {
  readonly method: string;
  /** The requested host and port. */
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
    received: { readonly body: Buffer; readonly connection: ConnectionLog },
  ) {
    this.method = request.method;
    this.authority = request.headers[":authority"] ?? request.headers.host ?? "";
    this.path = request.url;
    this.headers = request.headers;
    this.body = received.body;
    this.connection = received.connection;
    this.#response = response;
    this.#stream = getStream(request);
  }

  /** Sends the response. Does nothing if the client has disconnected. */
  respond({ status, headers = {}, body = "" }: RawResponse): void {
    this.connection.end(this.#response);
    this.#response.writeHead(status, headers).end(body);
  }

  /** Sends the headers and the first byte of a body that never ends. */
  async startResponse(status: number): Promise<void> {
    this.#response.writeHead(status, { "content-type": "application/json; charset=UTF-8" });
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#response.write("{", () => resolve());
    await promise;
  }

  /** Ends only this stream with an error code of RFC 9113 section 7; on HTTP/1.1, ends the connection. */
  reset(code: number): void {
    this.connection.end(this.#response);
    if (this.#stream === null) this.connection.reset();
    else this.#stream.close(code);
  }

  /**
   * Sends GOAWAY with this request as the last processed one, or with the one before it if `isProcessed` is false.
   * HTTP/1.1 has no GOAWAY, so its connection is reset.
   */
  goaway(code: number, isProcessed: boolean, reason: string): void {
    const { session } = this.connection;
    if (session === null || this.#stream === null) {
      this.connection.reset();
      return;
    }
    if (session.destroyed) return;
    const { id = 0 } = this.#stream;
    const lastStreamId = isProcessed ? id : id - STREAM_ID_STEP;
    session.goaway(code, lastStreamId, Buffer.from(reason));
    // Node treats a last stream below 1 as its highest one, so the first stream is refused separately.
    if (lastStreamId < 1) this.#stream.close(NGHTTP2_REFUSED_STREAM);
  }
}

/** Error codes of RFC 9113 section 7. */
export const {
  NGHTTP2_INTERNAL_ERROR,
  NGHTTP2_NO_ERROR,
  NGHTTP2_PROTOCOL_ERROR,
  NGHTTP2_REFUSED_STREAM,
} = constants;

/**
 * Returns the HTTP/2 stream, or null. For HTTP/1.1, Node emits requests without a stream, although its types say
 * otherwise.
 */
function getStream(request: Http2ServerRequest): ServerHttp2Stream | null {
  const stream: ServerHttp2Stream | undefined = request.stream;
  return stream ?? null;
}
