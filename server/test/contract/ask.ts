import assert from "node:assert/strict";
import { request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http";
import { connect } from "node:net";

/** A request that the SDK cannot express, because it is invalid or unusual. */
export interface Question {
  readonly method?: string;
  /** Sent unchanged, without encoding or resolving. */
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  /** Strings and bytes are sent unchanged, other values as JSON with its content type. */
  readonly body?: unknown;
}

/** A complete HTTP response. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const RESPONSE_MAX_MS = 10_000;

/** Sends a request on a new connection; fails unless the response is JSON with a content length. */
export async function ask(url: string, question: Question): Promise<Answer> {
  const response = await send(url, question);
  const { "content-type": type, "content-length": length } = response.headers;
  const name = `${question.method ?? "GET"} ${question.path.slice(0, 80)}: ${response.status}`;
  assert.equal(response.headers["transfer-encoding"], undefined, name);
  if (question.method === "HEAD") return response;
  assert.equal(type, "application/json; charset=utf-8", name);
  assert.equal(length, String(Buffer.byteLength(response.text)), name);
  JSON.parse(response.text);
  return response;
}

/** Posts a notification with the key in the header. */
export async function post(
  url: string,
  { key, path = "/api/v1/notify", headers = {}, body }: Posting,
): Promise<Answer> {
  return ask(url, { method: "POST", path, headers: { "x-api-key": key, ...headers }, body });
}

/** A POST request with an API key. */
export interface Posting extends Partial<Question> {
  readonly key: string;
}

/** Sends a request on a new connection and returns any response. */
export function send(url: string, question: Question): Promise<Answer> {
  const { method = "GET", path, headers = {}, body } = question;
  const { hostname, port } = new URL(url);
  const isPlain = body === undefined || typeof body === "string" || body instanceof Uint8Array;
  const content = isPlain ? body : JSON.stringify(body);
  const type = isPlain ? {} : { "content-type": "application/json" };
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const clientRequest = request({
    hostname,
    port,
    method,
    path,
    agent: false,
    headers: { ...type, ...lengthHeader(content, headers), ...headers },
    signal: AbortSignal.timeout(RESPONSE_MAX_MS),
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

function lengthHeader(
  content: string | Uint8Array | undefined,
  headers: OutgoingHttpHeaders,
): OutgoingHttpHeaders {
  if (content === undefined || "transfer-encoding" in headers) return {};
  return { "content-length": Buffer.byteLength(content) };
}

/** The text that a connection returned until it was closed. */
export interface Conversation {
  readonly text: string;
  /** Pieces as they arrived, in order. */
  readonly pieces: readonly string[];
}

/** Writes bytes to a new connection and reads until `isEnough` or the server closes it. */
export function converse(
  url: string,
  bytes: string | Uint8Array,
  { isEnough = () => false, endsInput = false }: ConversationOptions = {},
): Promise<Conversation> {
  const { hostname, port } = new URL(url);
  const { promise, resolve, reject } = Promise.withResolvers<Conversation>();
  const pieces: string[] = [];
  const socket = connect({ host: hostname, port: Number(port) });
  const finish = () => {
    clearTimeout(timer);
    socket.destroy();
    resolve({ text: pieces.join(""), pieces });
  };
  const timer = setTimeout(() => {
    socket.destroy();
    reject(
      new Error(
        `The server neither responded completely nor closed the connection: ${pieces.join("")}`,
      ),
    );
  }, CONVERSATION_MAX_MS);
  socket.on("error", reject);
  socket.on("close", finish);
  socket.on("data", (chunk: Buffer) => {
    pieces.push(chunk.toString());
    if (isEnough(pieces.join(""))) finish();
  });
  if (endsInput) socket.end(bytes);
  else socket.write(bytes);
  return promise;
}

/** Longer than the server's timeout for slow headers. */
const CONVERSATION_MAX_MS = 20_000;

/** Options of `converse`. */
export interface ConversationOptions {
  readonly isEnough?: (text: string) => boolean;
  /** Closes the client's side after the bytes, like `shutdown(SHUT_WR)`. */
  readonly endsInput?: boolean;
}

/** Returns the error of a response; a code string of the management API becomes an object. */
export function errorOf({ text }: Pick<Answer, "text">): Readonly<Record<string, unknown>> {
  const { error } = JSON.parse(text);
  return typeof error === "string" ? { code: error } : error;
}

/** Returns the error code of a response; null if it has none. */
export function codeOf(response: Pick<Answer, "text">): unknown {
  return JSON.parse(response.text).error === undefined ? null : errorOf(response)["code"];
}

/** Returns the status and body without the request id. */
export function comparable({ status, text }: Answer): string {
  return `${status} ${text.replace(/"requestId":"[^"]+"/, "")}`;
}

/** A valid notification for tests that do not depend on its content. */
export const HELLO = { title: "Hello", body: "World" } as const;
