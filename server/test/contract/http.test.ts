import assert from "node:assert/strict";
import { METHODS } from "node:http";
import test from "node:test";
import { addDevice, startApp, signUp } from "../support/app.ts";
import { requestJson, parseErrorCode, exchangeRaw, HELLO, send } from "./http-requests.ts";

const HELLO_JSON = JSON.stringify(HELLO);
const PATH = "/api/v1/notify";

/** Returns the bytes of a valid request, with further headers. */
function buildRequest(
  key: string,
  { line = `POST ${PATH} HTTP/1.1`, headers = ["Host: x"] } = {},
): string {
  const fixedHeaders = [
    `X-API-KEY: ${key}`,
    "Content-Type: application/json",
    `Content-Length: ${HELLO_JSON.length}`,
  ];
  return `${[line, ...headers, ...fixedHeaders].join("\r\n")}\r\n\r\n${HELLO_JSON}`;
}

const hasResponse = (text: string) => /\r\n\r\n\{.*\}$/s.test(text);

test("unusual but valid HTTP requests are served", async (t) => {
  const app = await startApp(t);
  const { key } = await signUp(app, "Ann");
  const chunks = HELLO_JSON.replaceAll(/./g, (character) => `1\r\n${character}\r\n`);
  const requests = {
    "HTTP/1.0": buildRequest(key, { line: `POST ${PATH} HTTP/1.0`, headers: [] }),
    "another Host": buildRequest(key, { headers: ["Host: push.techulus.com"] }),
    "a whole URL": buildRequest(key, { line: `POST http://push.techulus.com${PATH} HTTP/1.1` }),
    "an offer of HTTP/2": buildRequest(key, {
      headers: [
        "Host: x",
        "Connection: Upgrade, HTTP2-Settings",
        "Upgrade: h2c",
        "HTTP2-Settings: AAMAAABk",
      ],
    }),
    "an offer of a WebSocket": buildRequest(key, {
      headers: ["Host: x", "Connection: Upgrade", "Upgrade: websocket"],
    }),
    "an unknown expectation": buildRequest(key, { headers: ["Host: x", "Expect: 200-ok"] }),
    "an empty line before the request": `\r\n${buildRequest(key)}`,
    "single characters in chunks": `POST ${PATH} HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`,
  };
  for (const [name, bytes] of Object.entries(requests)) {
    const { text } = await exchangeRaw(app.url, bytes, { isComplete: hasResponse });
    assert.match(
      text,
      /^HTTP\/1\.1 200 OK\r\n.*\r\ncontent-length: \d+\r\n.*"responses":\[\]/is,
      name,
    );
  }
});

test("a request without Host is served without a proxy", async (t) => {
  const app = await startApp(t);
  const { key } = await signUp(app, "Ann");
  const { text } = await exchangeRaw(app.ownUrl, buildRequest(key, { headers: [] }), {
    isComplete: hasResponse,
  });
  assert.match(text, /^HTTP\/1\.1 200 OK\r\n/);
});

test("Expect: 100-continue gets 100 and then the response", async (t) => {
  const app = await startApp(t);
  const { key } = await signUp(app, "Ann");
  const bytes = buildRequest(key, { headers: ["Host: x", "Expect: 100-continue"] });
  const { text } = await exchangeRaw(app.url, bytes, { isComplete: hasResponse });
  assert.match(text, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
});

test("a response is written in one piece", async (t) => {
  const app = await startApp(t);
  const ann = await signUp(app, "Ann");
  await addDevice(app, ann);
  for (const key of [ann.key, "<API_KEY>"]) {
    const { chunks } = await exchangeRaw(app.url, buildRequest(key), { isComplete: hasResponse });
    assert.equal(chunks.length, 1);
  }
});

test("pipelined requests are answered in order", async (t) => {
  const app = await startApp(t);
  const { key } = await signUp(app, "Ann");
  const bytes = `${buildRequest(key)}${buildRequest("<API_KEY>")}${buildRequest(key, { headers: ["Host: x", "Connection: close"] })}`;
  const { text } = await exchangeRaw(app.url, bytes);
  const statuses = Array.from(text.matchAll(/HTTP\/1\.1 (\d+)/g), ([, status]) => status);
  assert.deepEqual(statuses, ["200", "401", "200"]);
});

test("no CORS header lets another site read a response", async (t) => {
  const app = await startApp(t);
  const { key } = await signUp(app, "Ann");
  const headers = { origin: "https://evil.example", "access-control-request-method": "POST" };
  const preflight = await requestJson(app.url, { method: "OPTIONS", path: PATH, headers });
  const crossOrigin = await requestJson(app.url, {
    path: `${PATH}/${key}?title=a&body=b`,
    headers,
  });
  assert.deepEqual([preflight.status, crossOrigin.status], [405, 200]);
  for (const response of [preflight, crossOrigin]) {
    assert.equal(response.headers["access-control-allow-origin"], undefined);
  }
});

test("invalid HTTP gets a 400 in JSON with a Content-Length, and the connection is closed", async (t) => {
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
    const { text } = await exchangeRaw(url, bytes);
    const [headerLines = "", body = ""] = text.split("\r\n\r\n");
    assert.match(headerLines, /^HTTP\/1\.1 400 Bad Request\r\n/, name);
    assert.match(headerLines, /\r\nContent-Type: application\/json; charset=utf-8\r\n/, name);
    assert.match(
      headerLines,
      new RegExp(`\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`),
      name,
    );
    const { success, message, error } = JSON.parse(body);
    assert.deepEqual([success, typeof message, error.code], [false, "string", "invalid_request"]);
    assert.match(error.requestId, /^[0-9a-f-]{36}$/);
  }
  assert.equal((await requestJson(url, { path: "/healthz" })).status, 200);
});

test("slow headers are 400 in JSON", async (t) => {
  const { ownUrl: url } = await startApp(t);
  const { text } = await exchangeRaw(url, "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ");
  assert.match(text, /^HTTP\/1\.1 400 .*\r\n\r\n\{"success":false,.*"requestId":/s);
});

test("an unknown path is 404 for every method and body", async (t) => {
  const { url } = await startApp(t);
  const paths = [
    "/nothing/here",
    "/api/v1",
    "/api/v1/notify/a/b",
    "/api/v2/notify",
    "/api/app/v1/x",
  ];
  for (const path of paths) {
    for (const method of ["GET", "POST", "DELETE", "TRACE", "PURGE"]) {
      const body = method === "GET" ? undefined : "{broken";
      const headers = { "content-type": "application/json" };
      const response = await requestJson(url, { method, path, headers, body });
      assert.deepEqual(
        [response.status, parseErrorCode(response)],
        [404, "not_found"],
        `${method} ${path}`,
      );
    }
  }
});

test("an unsupported method is 405 with the allowed methods", async (t) => {
  const { url } = await startApp(t);
  const allowedMethodsByPath: Readonly<Record<string, string>> = {
    [PATH]: "POST",
    [`${PATH}-async`]: "POST",
    [`${PATH}/<API_KEY>`]: "GET, HEAD, POST",
    [`${PATH}/group/g`]: "POST",
    "/api/management/v1/teams/invite": "DELETE, POST",
    "/api/app/v1/me": "GET, PATCH",
    "/healthz": "GET",
  };
  for (const [path, allow] of Object.entries(allowedMethodsByPath)) {
    for (const method of METHODS) {
      if (method === "CONNECT" || allow.split(", ").includes(method)) continue;
      const headers = { "content-type": "text/plain" };
      const body = method === "GET" || method === "HEAD" ? undefined : "x";
      const response = await requestJson(url, { method, path, headers, body });
      assert.deepEqual(
        [response.status, response.headers.allow],
        [405, allow],
        `${method} ${path}`,
      );
      if (method !== "HEAD") assert.equal(parseErrorCode(response), "method_not_allowed");
    }
  }
});

test("a path that cannot be decoded is 400 in JSON", async (t) => {
  const app = await startApp(t);
  const { key } = await signUp(app, "Ann");
  for (const path of [`${PATH}/group/%zz`, `${PATH}/group/%ff`, "/%"]) {
    const headers = { "x-api-key": key };
    const response = await requestJson(app.url, { method: "POST", path, headers, body: HELLO });
    assert.deepEqual([response.status, parseErrorCode(response)], [400, "invalid_request"], path);
  }
});

test("every response has a request id, nosniff and no-referrer", async (t) => {
  const { url } = await startApp(t);
  for (const path of ["/healthz", "/nothing", "/api/app/v1/me", `${PATH}/x?title=a&body=b`]) {
    const { headers } = await send(url, { path });
    assert.match(String(headers["x-request-id"]), /^[0-9a-f-]{36}$/);
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["referrer-policy"], "no-referrer");
  }
});
