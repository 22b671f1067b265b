import assert from "node:assert/strict";
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { request } from "node:https";
import test, { type TestContext } from "node:test";
import {
  requestJson,
  parseErrorCode,
  exchangeRaw,
  parseError,
  HELLO,
  post,
  send,
} from "../contract/http-requests.ts";
import { generateCertificate } from "../doubles/certificate.ts";
import { LOOPBACK } from "../doubles/listen.ts";
import { startApp, signUp } from "../support/app.ts";
import { KEY_PATTERN } from "../support/behind-nginx.ts";
import { ON_SQLITE } from "../support/database.ts";
import { NGINX_SKIP_REASON, startNginx, type NginxOptions } from "../support/nginx.ts";

// The proxy is the same for every database.
const skip = NGINX_SKIP_REASON || ON_SQLITE.skip;

/** Starts a server behind nginx, with an account that has a key. */
async function setUp(t: TestContext, options: Omit<NginxOptions, "serverUrl"> = {}) {
  const app = await startApp(t, { environment: { TOCSIN_TRUST_PROXY: LOOPBACK } });
  const ann = await signUp({ url: app.ownUrl }, "Ann");
  const nginx = await startNginx(t, { serverUrl: app.ownUrl, ...options });
  return { app, ann, nginx };
}

test(
  "nginx speaks HTTP/2 over TLS with Strict-Transport-Security, and logs neither a forged IP address nor a key",
  { skip },
  async (t) => {
    const certificate = generateCertificate([LOOPBACK]);
    const { nginx, ann } = await setUp(t, { certificate });
    const session = connectHttp2(nginx.url, { ca: certificate.cert });
    t.after(() => session.destroy());
    const stream = session.request({ ":path": "/api/app/v1/me", "x-forwarded-for": "192.0.2.1" });
    const [headers] = await once(stream, "response");
    assert.deepEqual(
      [session.alpnProtocol, headers[":status"], headers["content-type"]],
      ["h2", 401, "application/json; charset=utf-8"],
    );
    assert.match(String(headers["strict-transport-security"]), /max-age/);
    assert.doesNotMatch(await nginx.readLog(), new RegExp(`192\\.0\\.2\\.1|${ann.key}`));
  },
);

test("nginx forwards live events while the stream is open", { skip }, async (t) => {
  const certificate = generateCertificate([LOOPBACK]);
  const { app, ann, nginx } = await setUp(t, { certificate });
  const { token } = await ann.client.accessTokens.create({ label: "live" });
  const headers = { authorization: `Bearer ${token}` };
  const liveRequest = request(`${nginx.url}/api/app/v1/live`, { ca: certificate.cert, headers });
  liveRequest.end();
  t.after(() => liveRequest.destroy());
  const [liveResponse] = await once(liveRequest, "response");
  assert.equal(liveResponse.headers["content-type"], "text/event-stream; charset=utf-8");
  await post(app.ownUrl, { key: ann.key, body: HELLO });
  let text = "";
  for await (const piece of liveResponse) {
    text += String(piece);
    if (text.includes("event: notification")) break;
  }
  assert.match(text, /"title":"Hello"/);
});

test("nginx redirects pages from http to https, and refuses API calls", { skip }, async (t) => {
  const { ann, nginx } = await setUp(t);
  const page = await send(nginx.plainUrl, { path: "/feed?channel=a" });
  assert.deepEqual(
    [page.status, page.headers.location],
    [301, "https://push.example.org/feed?channel=a"],
  );
  const call = await requestJson(nginx.plainUrl, {
    method: "POST",
    path: `/api/v1/notify/${ann.key}`,
  });
  assert.deepEqual([call.status, parseErrorCode(call)], [400, "invalid_request"]);
  const path = `/message?token=${ann.key}`;
  const foreignCall = await requestJson(nginx.plainUrl, { method: "POST", path });
  assert.deepEqual([foreignCall.status, parseErrorCode(foreignCall)], [400, "invalid_request"]);
  assert.doesNotMatch(await nginx.readLog(), KEY_PATTERN);
});

test("nginx replies in JSON if the server is down, and logs no key", { skip }, async (t) => {
  const { app, ann, nginx } = await setUp(t);
  await app.app.stop();
  const unavailable = await requestJson(nginx.url, {
    path: `/api/v1/notify/${ann.key}?title=a&body=b`,
  });
  assert.deepEqual([unavailable.status, parseErrorCode(unavailable)], [502, "unavailable"]);
  assert.deepEqual(
    [unavailable.headers["retry-after"], unavailable.headers["x-request-id"]],
    ["5", parseError(unavailable)["requestId"]],
  );
  const path = "/api/management/v1/teams/invite";
  const managementResponse = await requestJson(nginx.url, {
    method: "POST",
    path,
    body: { team: ann.key },
  });
  assert.equal(JSON.parse(managementResponse.text).error, "unavailable");
  const log = await nginx.readLog();
  assert.match(log, /"GET \/api\/v1\/notify\/\.\.\." 502/);
  assert.doesNotMatch(log, KEY_PATTERN);
});

test("nginx refuses every spelling of /metrics", { skip }, async (t) => {
  const { nginx } = await setUp(t);
  for (const path of ["/metrics", "/metrics/", "/%6detrics", "//metrics", "/x/../metrics?a=b"]) {
    const response = await requestJson(nginx.url, { path });
    assert.deepEqual([response.status, parseErrorCode(response)], [404, "not_found"], path);
  }
});

test("nginx rejects malformed and oversized requests in JSON", { skip }, async (t) => {
  const { ann, nginx } = await setUp(t);
  const unreadable = [
    "hello\r\n\r\n",
    "GET /healthz HTTP/1.1\r\n\r\n",
    `GET /healthz HTTP/1.1\r\nHost: x\r\nX-Big: ${"x".repeat(40_000)}\r\n\r\n`,
    `GET /api/v1/notify/${ann.key}?title=${"x".repeat(40_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    `POST /api/v1/notify/${ann.key}%zz HTTP/1.1\r\nHost: x\r\n\r\n`,
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}",
    "CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n",
  ];
  for (const bytes of unreadable) {
    const { text } = await exchangeRaw(nginx.url, bytes, {
      isComplete: (received) => received.endsWith("}"),
    });
    assert.match(
      text,
      /^HTTP\/1\.1 400 .*\r\nContent-Type: application\/json/s,
      bytes.slice(0, 40),
    );
    assert.match(text, /"code":"invalid_request","requestId":"[0-9a-f-]{36}"\}\}$/);
  }
  const body = "x".repeat(17 * 2 ** 20);
  const largeResponse = await post(nginx.url, { key: ann.key, body }).catch(() => null);
  // nginx closes the connection if the client keeps sending, so the client may not see the response.
  if (largeResponse !== null)
    assert.deepEqual(
      [largeResponse.status, parseErrorCode(largeResponse)],
      [400, "body_too_large"],
    );
  assert.doesNotMatch(await nginx.readLog(), KEY_PATTERN);
});

test("nginx logs no key, however it is sent; its default log format would", { skip }, async (t) => {
  const { app, ann, nginx } = await setUp(t);
  const withDefaultLog = await startNginx(t, {
    serverUrl: app.ownUrl,
    editConfiguration: (text) => text.replaceAll("tocsin.log tocsin;", "tocsin.log combined;"),
  });
  const { key } = ann;
  const paths = [
    `/api/v1/notify/${key}?title=a&body=b`,
    `/api/v1/notify/${key.toUpperCase()}/`,
    `/api/v1/n%6ftify/${key.replaceAll("-", "%2D")}`,
    `/${key}`,
    `//api/v1/notify//${key}`,
    `/api/v1/notify?key=${key}`,
    `/api/v1/notify/${key}%00`,
    `/api/v1/notify/${key};a=b#${key}`,
  ];
  for (const { url } of [nginx, withDefaultLog]) {
    for (const path of paths) await send(url, { path, headers: { referer: `http://a/${key}` } });
  }
  const log = await nginx.readLog();
  assert.equal(log.split("\n").length - 1, paths.length);
  assert.match(log, /"GET \/api\/v1\/notify\/\.\.\." 200 /);
  assert.doesNotMatch(log, KEY_PATTERN);
  const [begin = "", , , , end = ""] = key.split("-");
  for (const part of [begin, end]) assert.ok(!log.includes(part), part);
  assert.match(await withDefaultLog.readLog(), KEY_PATTERN);
});
