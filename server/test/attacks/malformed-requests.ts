/** Returns a pseudo-random index below `count`. */
export type PickIndex = (count: number) => number;

/** Returns a function that picks pseudo-random indexes. The same seed gives the same sequence (mulberry32). */
export function createIndexPicker(seed: number): PickIndex {
  let state = seed;
  return (count) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * count);
  };
}

const VALID_BODY = '{"title":"Hello","body":"World"}';
const PATH = "/api/v1/notify-async";

/** The request line of a valid request to an existing path. */
export const VALID_REQUEST_LINE = `POST ${PATH} HTTP/1.1\r\n`;

interface RequestOverrides {
  readonly requestLine?: string;
  readonly headers?: readonly string[];
  readonly contentType?: string;
  readonly contentLength?: string | null;
  readonly body?: string;
}

/** Returns a valid request with some parts overridden. */
function buildRequest(key: string, overrides: RequestOverrides = {}): string {
  const {
    requestLine = VALID_REQUEST_LINE.trimEnd(),
    headers = [],
    contentType = "application/json",
    body = VALID_BODY,
  } = overrides;
  const { contentLength = String(Buffer.byteLength(body)) } = overrides;
  const lines = [
    requestLine,
    "Host: x",
    `X-API-KEY: ${key}`,
    `Content-Type: ${contentType}`,
    ...headers,
  ];
  if (contentLength !== null) lines.push(`Content-Length: ${contentLength}`);
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

const REQUEST_LINES = [
  "FETCH / HTTP/1.1",
  "post /api/v1/notify HTTP/1.1",
  "GET",
  "GET /",
  "GET / HTTP/9.9",
  "GET / HTTP/2.0",
  "GET  / HTTP/1.1",
  "GET\t/ HTTP/1.1",
  " GET / HTTP/1.1",
  "TRACE / HTTP/1.1",
  "CONNECT example.org:443 HTTP/1.1",
  "OPTIONS * HTTP/1.1",
  "PRI * HTTP/2.0",
  "DELETE /api/v1/notify HTTP/1.1",
  "PROPFIND / HTTP/1.1",
  "GET http:// HTTP/1.1",
  "GET //// HTTP/1.1",
  "GET /../../etc/passwd HTTP/1.1",
  "GET /%2e%2e/%2e%2e/etc/passwd HTTP/1.1",
  "GET /api/v1/notify/%zz?title=a HTTP/1.1",
  "GET /api/v1/notify/%00?title=a HTTP/1.1",
  "GET /api/v1/notify/\u0001 HTTP/1.1",
  "GET /?title=a&title=b&__proto__=c HTTP/1.1",
  "GET /api/v1/notify/x#fragment HTTP/1.1",
  "HEAD /api/v1/notify HTTP/1.1",
];

const HEADERS = [
  "No colon",
  ": no name",
  "Spaced : value",
  " Folded: value",
  "X: a\r\n folded",
  "X: \u0000",
  "X: \u007f\u0001",
  "X: é",
  "é: x",
  "Transfer-Encoding: chunked",
  "Transfer-Encoding: gzip, chunked",
  "Transfer-Encoding: chunked, identity",
  "Transfer-Encoding : chunked",
  "Transfer-Encoding: xchunked",
  "Expect: 100-continue",
  "Expect: 200-ok",
  "Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABk",
  "Upgrade: websocket\r\nConnection: Upgrade",
  "Content-Length: 5",
  "Content-Encoding: gzip",
  "Cookie: =;=;\u0001",
  "Authorization: Bearer \u0080",
  "X-TTL: 99999999999999999999",
  "Idempotency-Key: \u00ff",
  "Connection: close, close, x-api-key",
  "Host: y",
  "Host:",
  "X-API-KEY:",
  'Forwarded: for="_gazonk";by=;;',
];

const BODIES = [
  "",
  "{",
  "}",
  "null",
  "[]",
  '"text"',
  "1e999",
  '{"title":"Hello","body":"World"',
  '{"title":"Hello","body":"World"}}',
  '{"title":"Hello",,"body":1}',
  '{"title":{"a":[[[[[[[[[[1]]]]]]]]]]},"body":""}',
  '{"__proto__":{"title":"x"},"constructor":1,"title":"","body":""}',
  '{"title":"\\ud800","body":"\\u0000"}',
  '{"title":1,"body":[]}',
  "{'title':'Hello'}",
  "title=Hello&body=World",
  "\u0000\u0001\u0002",
  "\uFEFF{}",
  "[".repeat(5_000),
];

const CONTENT_LENGTHS = [
  "-1",
  "+5",
  "0x10",
  "1e3",
  "5 5",
  "5,5",
  "",
  "99999999999999999999",
  "1",
  "0",
  "1000000",
];
const CONTENT_TYPES = [
  "",
  "text/plain",
  "application/json;",
  "application/json; charset=utf-7",
  "\u0001",
  "multipart/form-data",
];
const CHUNKS = [
  "x\r\n",
  "5\r\nabc\r\n",
  "-1\r\n",
  "ffffffffffffffff\r\n",
  '5;a="\r\n',
  "0\r\n",
  "0\r\nX\r\n\r\n",
  "2\n{}\n0\n\n",
];

const pickFrom = (pick: PickIndex, list: readonly string[]) => list[pick(list.length)] ?? "";

/** Generators of malformed requests; each call returns another request. */
const GENERATORS: readonly ((key: string, pick: PickIndex) => string | Buffer)[] = [
  (key, pick) => buildRequest(key, { requestLine: pickFrom(pick, REQUEST_LINES) }),
  (key, pick) => buildRequest(key, { headers: [pickFrom(pick, HEADERS), pickFrom(pick, HEADERS)] }),
  (key, pick) => buildRequest(key, { body: pickFrom(pick, BODIES) }),
  (key, pick) => buildRequest(key, { contentLength: pickFrom(pick, CONTENT_LENGTHS) }),
  (key, pick) => buildRequest(key, { contentType: pickFrom(pick, CONTENT_TYPES) }),
  (key, pick) =>
    buildRequest(key, {
      contentLength: null,
      headers: ["Transfer-Encoding: chunked"],
      body: pickFrom(pick, CHUNKS),
    }),
  (key, pick) => truncate(buildRequest(key), pick),
  (key, pick) => overwriteBytes(buildRequest(key), pick),
  (key, pick) => insertCopy(buildRequest(key), pick),
  (_key, pick) => Buffer.from(Array.from({ length: 1 + pick(400) }, () => pick(256))),
  (key, pick) =>
    buildRequest(key) + pickFrom(pick, REQUEST_LINES) + pickFrom(pick, ["", "\r\n\r\n", "\u0000"]),
  (key, pick) =>
    buildRequest(key, {
      headers: [`X-Many: ${"x".repeat(pick(20))}`].concat(
        Array.from({ length: pick(200) }, (_, index) => `X-${index}: y`),
      ),
    }),
  (key, pick) =>
    buildRequest(key, {
      requestLine: `GET /${pickFrom(pick, ["x", "%41", "../", "?a=&"]).repeat(pick(9_000))} HTTP/1.1`,
    }),
  (key, pick) =>
    buildRequest(
      pickFrom(pick, ["<API_KEY>", "", "\u0001", key.slice(1), `${key}${key}`, "group"]),
    ),
];

/** Returns the bytes of a malformed request. A few requests are valid by chance. */
export function createMalformedRequest(key: string, pick: PickIndex): Buffer {
  const message = GENERATORS[pick(GENERATORS.length)]?.(key, pick) ?? "";
  return typeof message === "string"
    ? Buffer.from(message, pick(4) === 0 ? "latin1" : "utf8")
    : message;
}

function truncate(text: string, pick: PickIndex): string {
  return text.slice(0, pick(text.length));
}

function overwriteBytes(text: string, pick: PickIndex): Buffer {
  const bytes = Buffer.from(text);
  for (let remaining = 1 + pick(8); remaining > 0; remaining -= 1)
    bytes[pick(bytes.length)] = pick(256);
  return bytes;
}

function insertCopy(text: string, pick: PickIndex): string {
  const insertAt = pick(text.length);
  const copyFrom = pick(text.length);
  return text.slice(0, insertAt) + text.slice(copyFrom, copyFrom + pick(80)) + text.slice(insertAt);
}
