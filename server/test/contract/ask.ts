import assert from "node:assert/strict";
import { request, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http";
import { connect } from "node:net";

/** A request that the SDK cannot express, because it is wrong or unusual. */
export interface Question {
  readonly method?: string;
  /** Sent as it is: nothing of it is encoded or resolved. */
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders;
  /** Text and bytes are sent as they are, other values as JSON with its content type. */
  readonly body?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

const ANSWER_WAIT_MS = 10_000;

/** Asks once over a connection of its own; fails where the answer is not JSON in one piece with its length. */
export async function ask(url: string, question: Question): Promise<Answer> {
  const answer = await send(url, question);
  const { "content-type": type, "content-length": length } = answer.headers;
  const name = `${question.method ?? "GET"} ${question.path.slice(0, 80)}: ${answer.status}`;
  assert.equal(answer.headers["transfer-encoding"], undefined, name);
  if (question.method === "HEAD") return answer;
  assert.equal(type, "application/json; charset=utf-8", name);
  assert.equal(length, String(Buffer.byteLength(answer.text)), name);
  JSON.parse(answer.text);
  return answer;
}

/** Posts a notification with a key in the header. */
export async function post(
  url: string,
  { key, path = "/api/v1/notify", headers = {}, body }: Posting,
): Promise<Answer> {
  return ask(url, { method: "POST", path, headers: { "x-api-key": key, ...headers }, body });
}

export interface Posting extends Partial<Question> {
  readonly key: string;
}

/** Asks and takes any answer. */
export function send(url: string, question: Question): Promise<Answer> {
  const { method = "GET", path, headers = {}, body } = question;
  const { hostname, port } = new URL(url);
  const isPlain = body === undefined || typeof body === "string" || body instanceof Uint8Array;
  const content = isPlain ? body : JSON.stringify(body);
  const type = isPlain ? {} : { "content-type": "application/json" };
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const asking = request({
    hostname,
    port,
    method,
    path,
    agent: false,
    headers: { ...type, ...lengthOf(content, headers), ...headers },
    signal: AbortSignal.timeout(ANSWER_WAIT_MS),
  });
  asking.on("error", reject);
  asking.on("response", (response) => {
    const chunks: Buffer[] = [];
    response.on("data", (chunk: Buffer) => chunks.push(chunk));
    response.on("error", reject);
    response.on("end", () => {
      const text = Buffer.concat(chunks).toString();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
    });
  });
  asking.end(content);
  return promise;
}

function lengthOf(
  content: string | Uint8Array | undefined,
  headers: OutgoingHttpHeaders,
): OutgoingHttpHeaders {
  if (content === undefined || "transfer-encoding" in headers) return {};
  return { "content-length": Buffer.byteLength(content) };
}

/** The bytes that a connection returned until the server closed it. */
export interface Conversation {
  readonly text: string;
  /** Pieces as they arrived, in order. */
  readonly pieces: readonly string[];
}

/** Writes bytes to a fresh connection and reads until `isEnough`, or until the server closes it. */
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
    reject(new Error(`The server neither answered enough nor closed: ${pieces.join("")}`));
  }, CONVERSATION_MS);
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

/** Longer than the server waits for slow headers. */
const CONVERSATION_MS = 20_000;

export interface ConversationOptions {
  readonly isEnough?: (text: string) => boolean;
  /** Closes our side after the bytes, as `shutdown(SHUT_WR)` does. */
  readonly endsInput?: boolean;
}

/** The error of an answer: a string on the management API, an object elsewhere. */
export function errorOf({ text }: Pick<Answer, "text">): Readonly<Record<string, unknown>> {
  const { error } = JSON.parse(text);
  return typeof error === "string" ? { code: error } : error;
}

/** The code of an answer's error; null where it has none. */
export function codeOf(answer: Pick<Answer, "text">): unknown {
  return JSON.parse(answer.text).error === undefined ? null : errorOf(answer)["code"];
}

/** Status and body without what differs from request to request. */
export function comparable({ status, text }: Answer): string {
  return `${status} ${text.replace(/"requestId":"[^"]+"/, "")}`;
}

/** The good notification of tests in which its content does not matter. */
export const HELLO = { title: "Hello", body: "World" } as const;
