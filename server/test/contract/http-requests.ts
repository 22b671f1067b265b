import assert from "node:assert/strict";
import { request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http";
import { connect } from "node:net";

/** A request that the SDK cannot express, because it is invalid or unusual. */
export interface TestRequest {
  readonly method?: string;
  /** Sent unchanged, without encoding or resolving. */
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  /** Strings and bytes are sent unchanged, other values as JSON with its content type. */
  readonly body?: unknown;
}

/** A complete response. */
export interface TestResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const RESPONSE_TIMEOUT_MS = 10_000;

/** Sends a request on a new connection; fails unless the response is JSON with a content length. */
export async function requestJson(url: string, testRequest: TestRequest): Promise<TestResponse> {
  const response = await send(url, testRequest);
  const { "content-type": type, "content-length": length } = response.headers;
  const name = `${testRequest.method ?? "GET"} ${testRequest.path.slice(0, 80)}: ${response.status}`;
  assert.equal(response.headers["transfer-encoding"], undefined, name);
  if (testRequest.method === "HEAD") return response;
  assert.equal(type, "application/json; charset=utf-8", name);
  assert.equal(length, String(Buffer.byteLength(response.text)), name);
  JSON.parse(response.text);
  return response;
}

/** Posts a notification with the key in the header. */
export async function post(
  url: string,
  { key, path = "/api/v1/notify", headers = {}, body }: NotificationPost,
): Promise<TestResponse> {
  return requestJson(url, {
    method: "POST",
    path,
    headers: { "x-api-key": key, ...headers },
    body,
  });
}

/** A POST request with an API key. */
export interface NotificationPost extends Partial<TestRequest> {
  readonly key: string;
}

/** Sends a request on a new connection and returns any response. */
export function send(url: string, testRequest: TestRequest): Promise<TestResponse> {
  const { method = "GET", path, headers = {}, body } = testRequest;
  const { hostname, port } = new URL(url);
  const isPlain = body === undefined || typeof body === "string" || body instanceof Uint8Array;
  const content = isPlain ? body : JSON.stringify(body);
  const type = isPlain ? {} : { "content-type": "application/json" };
  const { promise, resolve, reject } = Promise.withResolvers<TestResponse>();
  const clientRequest = request({
    hostname,
    port,
    method,
    path,
    agent: false,
    headers: { ...type, ...createLengthHeader(content, headers), ...headers },
    signal: AbortSignal.timeout(RESPONSE_TIMEOUT_MS),
  });
  clientRequest.on("error", reject);
  clientRequest.on("response", (response) => {
    const chunks: Buffer[] = [];
    response.on("data", (chunk: Buffer) => chunks.push(chunk));
    response.on("error", reject);
    response.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
    });
  });
  clientRequest.end(content);
  return promise;
}

function createLengthHeader(
  content: string | Uint8Array | undefined,
  headers: OutgoingHttpHeaders,
): OutgoingHttpHeaders {
  if (content === undefined || "transfer-encoding" in headers) return {};
  return { "content-length": Buffer.byteLength(content) };
}

/** The text that the server sent on a connection until the text was complete or the server closed the connection. */
export interface RawExchange {
  readonly text: string;
  /** Chunks of the text as they arrived, in order. */
  readonly chunks: readonly string[];
}

/** Writes bytes to a new connection and reads until the text is complete or the server closes it. */
export function exchangeRaw(
  url: string,
  bytes: string | Uint8Array,
  { isComplete = () => false, endsInput = false }: RawExchangeOptions = {},
): Promise<RawExchange> {
  const { hostname, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<RawExchange>();
  const chunks: string[] = [];
  const socket = connect({ host: hostname, port: Number(port) });
  const finish = () => {
    clearTimeout(timer);
    socket.destroy();
    resolve({ text: chunks.join(""), chunks });
  };
  const timer = setTimeout(() => {
    socket.destroy();
    reject(
      new Error(
        `The server neither responded completely nor closed the connection: ${chunks.join("")}`,
      ),
    );
  }, EXCHANGE_TIMEOUT_MS);
  socket.on("error", reject);
  socket.on("close", finish);
  socket.on("data", (chunk: Buffer) => {
    chunks.push(chunk.toString());
    if (isComplete(chunks.join(""))) finish();
  });
  if (endsInput) socket.end(bytes);
  else socket.write(bytes);
  return promise;
}

/** Longer than the server's timeout for slow headers. */
const EXCHANGE_TIMEOUT_MS = 20_000;

/** Options of `exchangeRaw`. */
export interface RawExchangeOptions {
  /** Returns whether the text is complete; never by default. */
  readonly isComplete?: (text: string) => boolean;
  /** Closes the client's side after the bytes, like `shutdown(SHUT_WR)`. */
  readonly endsInput?: boolean;
}

/** Returns the error of a response; a code string of the management API becomes an object. */
export function parseError({
  text,
}: Pick<TestResponse, "text">): Readonly<Record<string, unknown>> {
  const { error } = JSON.parse(text);
  return typeof error === "string" ? { code: error } : error;
}

/** Returns the error code of a response; null if it has none. */
export function parseErrorCode(response: Pick<TestResponse, "text">): unknown {
  return JSON.parse(response.text).error === undefined ? null : parseError(response)["code"];
}

/** Returns the status and body without the request id. */
export function toComparable({ status, text }: TestResponse): string {
  return `${status} ${text.replace(/"requestId":"[^"]+"/, "")}`;
}

/** A valid notification for tests that do not depend on its content. */
export const HELLO = { title: "Hello", body: "World" } as const;
