import assert from "node:assert/strict";
import { once } from "node:events";
import { request } from "node:http";
import test, { type TestContext } from "node:test";
import { requestJson, parseErrorCode, HELLO, post, send } from "../contract/http-requests.ts";
import { LOOPBACK } from "../doubles/listen.ts";
import { startApp, signUp } from "../support/app.ts";
import { KEY_PATTERN } from "../support/behind-nginx.ts";
import { CADDY_SKIP_REASON, startCaddy } from "../support/caddy.ts";
import { ON_SQLITE } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";

// The proxy is the same for every database.
const skip = CADDY_SKIP_REASON || ON_SQLITE.skip;

async function setUp(t: TestContext) {
  const app = await startApp(t, { environment: { TOCSIN_TRUST_PROXY: LOOPBACK } });
  const ann = await signUp({ url: app.ownUrl }, "Ann");
  const caddy = await startCaddy(t, { serverUrl: app.ownUrl });
  return { app, ann, caddy };
}

test("Caddy passes notifications and live events, and refuses /metrics", { skip }, async (t) => {
  const { ann, caddy } = await setUp(t);
  const { token } = await ann.client.accessTokens.create({ label: "live" });
  const headers = { authorization: `Bearer ${token}` };
  const liveRequest = request(`${caddy.url}/api/app/v1/live`, { headers });
  liveRequest.end();
  t.after(() => liveRequest.destroy());
  const [liveResponse] = await once(liveRequest, "response");
  assert.equal((await post(caddy.url, { key: ann.key, body: HELLO })).status, 200);
  let text = "";
  for await (const piece of liveResponse) {
    text += String(piece);
    if (text.includes("event: notification")) break;
  }
  assert.match(text, /"title":"Hello"/);
  for (const path of ["/metrics", "/metrics/", "/%6detrics"]) {
    const response = await requestJson(caddy.url, { path });
    assert.deepEqual([response.status, parseErrorCode(response)], [404, "not_found"], path);
  }
});

test(
  "Caddy refuses API calls over http, replies in JSON if the server is down, and logs no key",
  { skip },
  async (t) => {
    const { app, ann, caddy } = await setUp(t);
    const { key } = ann;
    const path = `/api/v1/notify/${key}?title=a&body=b`;
    const call = await requestJson(caddy.plainUrl, { path });
    assert.deepEqual([call.status, parseErrorCode(call)], [400, "invalid_request"]);
    const foreignCall = { method: "POST", path: `/message?token=${key}` };
    assert.equal((await requestJson(caddy.plainUrl, foreignCall)).status, 400);
    const page = await send(caddy.plainUrl, { path: "/feed" });
    assert.deepEqual(
      [page.status, page.headers.location],
      [301, `https://${new URL(caddy.plainUrl).hostname}/feed`],
    );
    const paths = [path, `/api/v1/n%6ftify/${key.replaceAll("-", "%2D")}`, `/x?key=${key}`];
    for (const keyPath of paths) {
      await send(caddy.url, {
        path: keyPath,
        headers: { "x-api-key": key, referer: `http://${key}` },
      });
    }
    await app.app.stop();
    const unavailable = await requestJson(caddy.url, { path, headers: { "x-api-key": key } });
    assert.deepEqual([unavailable.status, parseErrorCode(unavailable)], [503, "unavailable"]);
    // Beside the requests to these paths: three before them, and one after the server stopped.
    const requestCount = paths.length + 4;
    const log = await eventually(
      async () => caddy.readLog(),
      (text) => text.split('"logger":"http.log.access').length > requestCount,
    );
    assert.match(log, /"uri":"\/api\/v1\/notify"/);
    assert.doesNotMatch(log, KEY_PATTERN);
    const withDefaultLog = await startCaddy(t, {
      serverUrl: app.ownUrl,
      editConfiguration: (text) => text.replace(/\n\tlog default \{[^]*?\n\t\}/, ""),
    });
    await send(withDefaultLog.url, { path });
    await eventually(async () => KEY_PATTERN.test(withDefaultLog.readLog()), Boolean);
  },
);
