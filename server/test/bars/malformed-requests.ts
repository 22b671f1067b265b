/** Says which of `count` things is next, from 0 on; the same sequence for the same seed (mulberry32). */
export type Pick = (count: number) => number;

/** Returns a sequence of choices that a seed decides. */
export function picksOf(seed: number): Pick {
  let state = seed;
  return (count) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * count);
  };
}

const TEXT = '{"title":"Hello","body":"World"}';
const PATH = "/api/v1/notify-async";

/** The request line of a good request, whose path is there. */
export const GOOD_LINE = `POST ${PATH} HTTP/1.1\r\n`;

interface Parts {
  readonly line?: string;
  readonly headers?: readonly string[];
  readonly type?: string;
  readonly length?: string | null;
  readonly body?: string;
}

/** A good request, but for the parts that are given. */
function request(key: string, parts: Parts = {}): string {
  const {
    line = GOOD_LINE.trimEnd(),
    headers = [],
    type = "application/json",
    body = TEXT,
  } = parts;
  const { length = String(Buffer.byteLength(body)) } = parts;
  const lines = [line, "Host: x", `X-API-KEY: ${key}`, `Content-Type: ${type}`, ...headers];
  if (length !== null) lines.push(`Content-Length: ${length}`);
  return `${lines.join("\r\n")}\r\n\r\n${body}`;
}

const LINES = [
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

const LENGTHS = [
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
const TYPES = [
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

const pickOf = (pick: Pick, list: readonly string[]) => list[pick(list.length)] ?? "";

/** The ways in which a request is wrong; each makes another one every time. */
const WAYS: readonly ((key: string, pick: Pick) => string | Buffer)[] = [
  (key, pick) => request(key, { line: pickOf(pick, LINES) }),
  (key, pick) => request(key, { headers: [pickOf(pick, HEADERS), pickOf(pick, HEADERS)] }),
  (key, pick) => request(key, { body: pickOf(pick, BODIES) }),
  (key, pick) => request(key, { length: pickOf(pick, LENGTHS) }),
  (key, pick) => request(key, { type: pickOf(pick, TYPES) }),
  (key, pick) =>
    request(key, {
      length: null,
      headers: ["Transfer-Encoding: chunked"],
      body: pickOf(pick, CHUNKS),
    }),
  (key, pick) => cut(request(key), pick),
  (key, pick) => mutated(request(key), pick),
  (key, pick) => spliced(request(key), pick),
  (_key, pick) => Buffer.from(Array.from({ length: 1 + pick(400) }, () => pick(256))),
  (key, pick) => request(key) + pickOf(pick, LINES) + pickOf(pick, ["", "\r\n\r\n", "\u0000"]),
  (key, pick) =>
    request(key, {
      headers: [`X-Many: ${"x".repeat(pick(20))}`].concat(
        Array.from({ length: pick(200) }, (_, index) => `X-${index}: y`),
      ),
    }),
  (key, pick) =>
    request(key, {
      line: `GET /${pickOf(pick, ["x", "%41", "../", "?a=&"]).repeat(pick(9_000))} HTTP/1.1`,
    }),
  (key, pick) =>
    request(pickOf(pick, ["<API_KEY>", "", "\u0001", key.slice(1), `${key}${key}`, "group"])),
];

/** Returns the bytes of one more malformed request; now and then one turns out to be good. */
export function malformedRequest(key: string, pick: Pick): Buffer {
  const made = WAYS[pick(WAYS.length)]?.(key, pick) ?? "";
  return typeof made === "string" ? Buffer.from(made, pick(4) === 0 ? "latin1" : "utf8") : made;
}

function cut(text: string, pick: Pick): string {
  return text.slice(0, pick(text.length));
}

function mutated(text: string, pick: Pick): Buffer {
  const bytes = Buffer.from(text);
  for (let times = 1 + pick(8); times > 0; times -= 1) bytes[pick(bytes.length)] = pick(256);
  return bytes;
}

function spliced(text: string, pick: Pick): string {
  const [at, from] = [pick(text.length), pick(text.length)];
  return text.slice(0, at) + text.slice(from, from + pick(80)) + text.slice(at);
}
