import assert from "node:assert/strict";
import { METHODS } from "node:http";
import test from "node:test";
import { addDevice, startApp, signUp } from "../support/app.ts";
import { ask, codeOf, converse, HELLO, send } from "./ask.ts";

const TEXT = JSON.stringify(HELLO);
const PATH = "/api/v1/notify";

/** A good request as it goes over the wire, with further headers. */
function wire(key: string, { line = `POST ${PATH} HTTP/1.1`, headers = ["Host: x"] } = {}): string {
  const own = [
    `X-API-KEY: ${key}`,
    "Content-Type: application/json",
    `Content-Length: ${TEXT.length}`,
  ];
  return `${[line, ...headers, ...own].join("\r\n")}\r\n\r\n${TEXT}`;
}

const hasAnswer = (text: string) => /\r\n\r\n\{.*\}$/s.test(text);

test("unusual requests that HTTP allows are served like any other", async (t) => {
  const app = await startApp(t);
  const { key } = await signUp(app, "Ann");
  const chunks = TEXT.replaceAll(/./g, (character) => `1\r\n${character}\r\n`);
  const requests = {
    "HTTP/1.0": wire(key, { line: `POST ${PATH} HTTP/1.0`, headers: [] }),
    "a foreign Host": wire(key, { headers: ["Host: push.techulus.com"] }),
    "a whole URL": wire(key, { line: `POST http://push.techulus.com${PATH} HTTP/1.1` }),
    "an offer of h2c": wire(key, {
      headers: [
        "Host: x",
        "Connection: Upgrade, HTTP2-Settings",
        "Upgrade: h2c",
        "HTTP2-Settings: AAMAAABk",
      ],
    }),
    "an offer of a WebSocket": wire(key, {
      headers: ["Host: x", "Connection: Upgrade", "Upgrade: websocket"],
    }),
    "an unknown expectation": wire(key, { headers: ["Host: x", "Expect: 200-ok"] }),
    "an empty line before it": `\r\n${wire(key)}`,
    "single characters in chunks": `POST ${PATH} HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`,
  };
  for (const [name, bytes] of Object.entries(requests)) {
    const { text } = await converse(app.url, bytes, { isEnough: hasAnswer });
    assert.match(
      text,
      /^HTTP\/1\.1 200 OK\r\n.*\r\ncontent-length: \d+\r\n.*"responses":\[\]/is,
      name,
    );
  }
});

test("a request without Host is served where no proxy is before the server", async (t) => {
  const app = await startApp(t);
  const { key } = await signUp(app, "Ann");
  const { text } = await converse(app.ownUrl, wire(key, { headers: [] }), { isEnough: hasAnswer });
  assert.match(text, /^HTTP\/1\.1 200 OK\r\n/);
});

test("Expect: 100-continue is told to continue, then answered", async (t) => {
  const app = await startApp(t);
  const { key } = await signUp(app, "Ann");
  const bytes = wire(key, { headers: ["Host: x", "Expect: 100-continue"] });
  const { text } = await converse(app.url, bytes, { isEnough: hasAnswer });
  assert.match(text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
});

test("an answer is written in one piece", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  await addDevice(app, ann);
  for (const key of [ann.key, "<API_KEY>"]) {
    const { pieces } = await converse(app.url, wire(key), { isEnough: hasAnswer });
    assert.equal(pieces.length, 1);
  }
});

test("requests behind each other on one connection are answered in their order", async (t) => {
  const app = await startApp(t);
  const { key } = await signUp(app, "Ann");
  const bytes = `${wire(key)}${wire("<API_KEY>")}${wire(key, { headers: ["Host: x", "Connection: close"] })}`;
  const { text } = await converse(app.url, bytes);
  const statuses = Array.from(text.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status);
  assert.deepEqual(statuses, ["200", "401", "200"]);
});

test("no page of another site may read an answer", async (t) => {
  const app = await startApp(t);
  const { key } = await signUp(app, "Ann");
  const headers = { origin: "https://evil.example", "access-control-request-method": "POST" };
  const preflight = await ask(app.url, { method: "OPTIONS", path: PATH, headers });
  const got = await ask(app.url, { path: `${PATH}/${key}?title=a&body=b`, headers });
  assert.deepEqual([preflight.status, got.status], [405, 200]);
  for (const answer of [preflight, got]) {
    assert.equal(answer.headers["access-control-allow-origin"], undefined);
  }
});

test("bytes that are no HTTP are 400 in JSON with its length, and the connection closes", async (t) => {
  const { ownUrl: url } = await startApp(t);
  const requests = {
    "an unknown method": "FETCH / HTTP/1.1\r\nHost: x\r\n\r\n",
    "no HTTP at all": "hello\r\n\r\n",
    "a TLS greeting": "\u0016\u0003\u0001\u0002\u0000",
    "HTTP/2 without an upgrade": "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "a header of 40 kB": `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Big: ${"x".repeat(40_000)}\r\n\r\n`,
    "a header of 2 MB": `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Big: ${"x".repeat(2_000_000)}\r\n\r\n`,
    "a URL of 40 kB": `GET /${"x".repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    "two lengths": `POST ${PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}`,
    "a length and chunks": `POST ${PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    "a broken header": "GET /healthz HTTP/1.1\r\nHost x\r\n\r\n",
    "a tunnel": "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n",
  };
  for (const [name, bytes] of Object.entries(requests)) {
    const { text } = await converse(url, bytes);
    const [head = "", body = ""] = text.split("\r\n\r\n");
    assert.match(head, /^HTTP\/1\.1 400 Bad Request\r\n/, name);
    assert.match(head, /\r\nContent-Type: application\/json; charset=utf-8\r\n/, name);
    assert.match(head, new RegExp(`\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`), name);
    const { success, message, error } = JSON.parse(body);
    assert.deepEqual([success, typeof message, error.code], [false, "string", "invalid_request"]);
    assert.match(error.requestId, /^[0-9a-f-]{36}$/);
  }
  assert.equal((await ask(url, { path: "/healthz" })).status, 200);
});

test("headers that come too slowly are 400 in JSON", async (t) => {
  const { ownUrl: url } = await startApp(t);
  const { text } = await converse(url, "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ");
  assert.match(text, /^HTTP\/1\.1 400 .*\r\n\r\n\{"success":false,.*"requestId":/s);
});

test("a path that is not there is 404, whatever is sent there", async (t) => {
  const { url } = await startApp(t);
  const paths = ["/nothing", "/api/v1", "/api/v1/notify/a/b", "/api/v2/notify", "/api/app/v1/x"];
  for (const path of paths) {
    for (const method of ["GET", "POST", "DELETE", "TRACE", "PURGE"]) {
      const body = method === "GET" ? undefined : "{broken";
      const headers = { "content-type": "application/json" };
      const answer = await ask(url, { method, path, headers, body });
      assert.deepEqual([answer.status, codeOf(answer)], [404, "not_found"], `${method} ${path}`);
    }
  }
});

test("a method that a path does not have is 405 and names those that it has", async (t) => {
  const { url } = await startApp(t);
  const allowed: Readonly<Record<string, string>> = {
    [PATH]: "POST",
    [`${PATH}-async`]: "POST",
    [`${PATH}/<API_KEY>`]: "GET, HEAD, POST",
    [`${PATH}/group/g`]: "POST",
    "/api/management/v1/teams/invite": "DELETE, POST",
    "/api/app/v1/me": "GET, PATCH",
    "/healthz": "GET",
  };
  for (const [path, allow] of Object.entries(allowed)) {
    for (const method of METHODS) {
      if (method === "CONNECT" || allow.split(", ").includes(method)) continue;
      const headers = { "content-type": "text/plain" };
      const body = method === "GET" || method === "HEAD" ? undefined : "x";
      const answer = await ask(url, { method, path, headers, body });
      assert.deepEqual([answer.status, answer.headers.allow], [405, allow], `${method} ${path}`);
      if (method !== "HEAD") assert.equal(codeOf(answer), "method_not_allowed");
    }
  }
});

test("a path that cannot be decoded is 400 in JSON", async (t) => {
  const app = await startApp(t);
  const { key } = await signUp(app, "Ann");
  for (const path of [`${PATH}/group/%zz`, `${PATH}/group/%ff`, "/%"]) {
    const headers = { "x-api-key": key };
    const answer = await ask(app.url, { method: "POST", path, headers, body: HELLO });
    assert.deepEqual([answer.status, codeOf(answer)], [400, "invalid_request"], path);
  }
});

test("every answer names its request and forbids guessing and referring", async (t) => {
  const { url } = await startApp(t);
  for (const path of ["/healthz", "/nothing", "/api/app/v1/me", `${PATH}/x?title=a&body=b`]) {
    const { headers } = await send(url, { path });
    assert.match(String(headers["x-request-id"]), /^[0-9a-f-]{36}$/);
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["referrer-policy"], "no-referrer");
  }
});
