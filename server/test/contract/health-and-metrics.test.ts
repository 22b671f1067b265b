import assert from "node:assert/strict";
import { networkInterfaces } from "node:os";
import test from "node:test";
import { addDevice, startApp, signUp } from "../support/app.ts";
import { requestJson, parseErrorCode, HELLO, post, send } from "./http-requests.ts";

test("/healthz and /readyz return JSON without credentials", async (t) => {
  const { url } = await startApp(t);
  assert.equal((await requestJson(url, { path: "/healthz" })).text, '{"status":"ok"}');
  assert.equal((await requestJson(url, { path: "/readyz" })).text, '{"status":"ready"}');
});

test("/metrics without a configured token is served only to this machine, and not through a proxy", async (t) => {
  const { ownUrl: url } = await startApp(t);
  assert.equal((await send(url, { path: "/metrics" })).status, 200);
  for (const headers of [{ "x-forwarded-for": "127.0.0.1" }, { forwarded: "for=127.0.0.1" }]) {
    const response = await requestJson(url, { path: "/metrics", headers });
    assert.deepEqual([response.status, parseErrorCode(response)], [401, "unauthenticated"]);
  }
});

test("/metrics without a configured token is refused to another IP address", async (t) => {
  const outside = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal);
  if (outside === undefined) return t.skip("This machine has only loopback addresses.");
  const app = await startApp(t, { environment: { TOCSIN_HOST: "0.0.0.0" } });
  const url = `http://${outside.address}:${new URL(app.ownUrl).port}`;
  assert.equal((await requestJson(url, { path: "/metrics" })).status, 401);
  assert.equal((await requestJson(url, { path: "/healthz" })).status, 200);
});

test("/metrics with a configured token is refused to callers that do not send it", async (t) => {
  const { ownUrl: url } = await startApp(t, {
    environment: { TOCSIN_METRICS_TOKEN: "a long token" },
  });
  const withToken = (token: string) =>
    send(url, { path: "/metrics", headers: { authorization: `Bearer ${token}` } });
  assert.equal((await requestJson(url, { path: "/metrics" })).status, 401);
  for (const token of ["", "a", "a long tokem"]) assert.equal((await withToken(token)).status, 401);
});

test("/metrics with a configured token is served through a proxy", async (t) => {
  const { ownUrl: url } = await startApp(t, {
    environment: { TOCSIN_METRICS_TOKEN: "a-long-token" },
  });
  const headers = { authorization: "Bearer a-long-token", "x-forwarded-for": "192.0.2.7" };
  assert.equal((await send(url, { path: "/metrics", headers })).status, 200);
});

test("/metrics counts accepted notifications, deliveries, and requests by route", async (t) => {
  const app = await startApp(t, { isSingleProcess: true });
  const ann = await signUp(app, "Ann");
  await addDevice(app, ann);
  await ann.client.notify(HELLO);
  await post(app.url, { key: "<API_KEY>", path: "/api/v1/notify/<API_KEY>", body: HELLO });
  await requestJson(app.url, { path: "/nothing/zebra" });
  const { text, headers } = await send(app.ownUrl, { path: "/metrics" });
  assert.match(String(headers["content-type"]), /^text\/plain; version=0\.0\.4/);
  assert.match(text, /^tocsin_notifications_accepted_total\{audience="account"\} 1$/m);
  assert.match(text, /^tocsin_deliveries_total\{code="accepted"\} 1$/m);
  assert.match(text, /^tocsin_queue_jobs 0$/m);
  const count = /^tocsin_http_request_duration_seconds_count\{(.*)\} 1$/gm;
  const routes = Array.from(text.matchAll(count), ([, labels]) => labels);
  assert.ok(routes.includes('route="/api/v1/notify",method="POST",status="200"'));
  assert.ok(routes.includes('route="/api/v1/notify/:apiKey",method="POST",status="401"'));
  assert.ok(routes.includes('route="none",method="GET",status="404"'));
});
