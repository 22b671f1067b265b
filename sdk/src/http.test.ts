import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { createClient } from "./client.ts";
import { getConnectionError, getRefusal, getRejection } from "./rejection.fixture.ts";
import { createJsonReply, createRefusalReply, startServer } from "./test-server.fixture.ts";
import { normalizeBaseUrl } from "./server.ts";

const KEY = "1b4e28ba-2fa1-4d2b-883f-0016d3cca427";
const TEXT = { title: "Fire", body: "In the hall" };
const SENT = { success: true, message: "Delivered to 0 of 0 devices", responses: [] };

test("an error of the notification API contains every field of the response", async (t) => {
  const { baseUrl } = await startServer(
    t,
    createRefusalReply(429, "rate_limited", { "retry-after": "7" }),
  );
  const error = await getRefusal(createClient({ baseUrl, apiKey: KEY }).notify(TEXT));
  assert.equal(error.status, 429);
  assert.equal(error.code, "rate_limited");
  assert.equal(error.field, "title");
  assert.equal(error.requestId, "r-1");
  assert.equal(error.message, "Refused: rate_limited");
  assert.equal(error.retryAfterMs, 7_000);
});

test("an error of the management API has its code as a string", async (t) => {
  const body = { success: false, message: "No such team.", error: "unknown_team" };
  const { baseUrl } = await startServer(t, createJsonReply(400, body));
  const { management } = createClient({ baseUrl, apiKey: KEY });
  const error = await getRefusal(management.invite({ team: KEY, email: "ada@example.org" }));
  assert.deepEqual([error.code, error.field, error.requestId], ["unknown_team", null, null]);
  assert.deepEqual(error.body, body);
});

test("a date in Retry-After is relative to the Date of the response", async (t) => {
  const headers = {
    date: "Wed, 04 Nov 2026 10:00:00 GMT",
    "retry-after": "Wed, 04 Nov 2026 10:00:30 GMT",
  };
  const { baseUrl } = await startServer(t, createRefusalReply(500, "unavailable", headers));
  const error = await getRefusal(createClient({ baseUrl, apiKey: KEY }).notify(TEXT));
  assert.equal(error.retryAfterMs, 30_000);
});

test("a response that is not JSON is reported as not_json, with any status", async (t) => {
  for (const status of [200, 204, 502]) {
    const { baseUrl } = await startServer(t, (response) => response.writeHead(status).end());
    const error = await getRefusal(createClient({ baseUrl }).me());
    assert.deepEqual([error.status, error.code, error.body], [status, "not_json", null]);
  }
});

test("JSON that is not from Tocsin is reported as unexpected_answer", async (t) => {
  const { baseUrl } = await startServer(t, createJsonReply(403, ["blocked"]));
  const error = await getRefusal(createClient({ baseUrl }).me());
  assert.equal(error.code, "unexpected_answer");
});

test("a redirect is not followed, so that no key reaches its target", async (t) => {
  const redirectTarget = await startServer(t, createJsonReply(200, SENT));
  const { baseUrl } = await startServer(
    t,
    createJsonReply(307, {}, { location: `${redirectTarget.baseUrl}/` }),
  );
  const error = await getRefusal(createClient({ baseUrl, apiKey: KEY }).notify(TEXT));
  assert.deepEqual([error.status, error.code], [307, "redirected"]);
  assert.equal(redirectTarget.requests.length, 0);
});

test("no error contains a key, even if the response or the runtime repeats it", async (t) => {
  const echo = await startServer(t, (response, { url }) => {
    response.writeHead(404).end(JSON.stringify({ message: `No route ${url}`, error: { url } }));
  });
  const client = createClient({ baseUrl: echo.baseUrl, apiKey: KEY });
  const leaky = createClient({
    baseUrl: "http://push.example.org:8080",
    fetch: (url) => Promise.reject(new TypeError(`error sending request for url (${url})`)),
  });
  const errors = [
    await getRefusal(client.notifyWithKey(KEY, TEXT)),
    await getRefusal(client.notifyWebhook(KEY, TEXT)),
    await getConnectionError(leaky.notifyWithKey(KEY, TEXT)),
    await getConnectionError(
      createClient({ baseUrl: echo.baseUrl, apiKey: `${KEY}\n.` }).notify(TEXT),
    ),
  ];
  for (const error of errors)
    assert.ok(!inspect(error, { depth: 10 }).includes(KEY), error.message);
  assert.equal(errors[2]?.message, "notifyWithKey: no response from push.example.org:8080");
});

test("a connection that breaks is a TocsinConnectionError with its cause", async (t) => {
  const { baseUrl } = await startServer(t, (response) => response.destroy());
  const error = await getConnectionError(createClient({ baseUrl }).me());
  assert.deepEqual([error.operation, error.isTimeout], ["me", false]);
  assert.equal(error.host, new URL(baseUrl).host);
  assert.ok(error.cause instanceof Error);
});

test("a response that stalls, before its headers or in its body, is a timeout", async (t) => {
  const silent = await startServer(t, () => {});
  const stalled = await startServer(t, (response) => response.writeHead(200).write('{"id":'));
  for (const { baseUrl } of [silent, stalled]) {
    const error = await getConnectionError(createClient({ baseUrl, timeoutMs: 50 }).me());
    assert.equal(error.isTimeout, true);
  }
});

test("an operation whose signal is aborted rejects with the reason of the signal", async (t) => {
  const { baseUrl } = await startServer(t, () => {});
  const reason = new Error("changed my mind");
  const options = { signal: AbortSignal.abort(reason) };
  assert.equal(await getRejection(createClient({ baseUrl }).me(options)), reason);
});

test("a send without retries is attempted once and contains no idempotency key", async (t) => {
  const { baseUrl, requests } = await startServer(
    t,
    createRefusalReply(500, "unavailable", { "retry-after": "0" }),
  );
  await getRefusal(createClient({ baseUrl, apiKey: KEY }).notify(TEXT));
  assert.equal(requests.length, 1);
  assert.equal(requests[0]?.headers["idempotency-key"], undefined);
});

test("a send is retried with one idempotency key until it is accepted", async (t) => {
  const { baseUrl, requests } = await startServer(
    t,
    (response) => response.destroy(),
    createRefusalReply(429, "rate_limited", { "retry-after": "0" }),
    createJsonReply(200, SENT),
  );
  await createClient({ baseUrl, apiKey: KEY, retries: 2 }).notifyWebhook(KEY, TEXT);
  const keys = requests.map(({ headers }) => headers["idempotency-key"]);
  assert.equal(keys.length, 3);
  assert.match(String(keys[0]), /^[0-9a-f]{32}$/);
  assert.equal(new Set(keys).size, 1);
});

test("the last error is thrown when all retries are used", async (t) => {
  const { baseUrl, requests } = await startServer(
    t,
    createRefusalReply(500, "unavailable", { "retry-after": "0" }),
  );
  const error = await getRefusal(createClient({ baseUrl, apiKey: KEY, retries: 3 }).notify(TEXT));
  assert.deepEqual([error.code, requests.length], ["unavailable", 4]);
});

test("a permanent error, a long Retry-After and an unsafe request are not retried", async (t) => {
  const invalidField = await startServer(
    t,
    createRefusalReply(400, "invalid_field", { "retry-after": "0" }),
  );
  const longRetryAfter = await startServer(
    t,
    createRefusalReply(429, "rate_limited", { "retry-after": "61" }),
  );
  const unsafeRequest = await startServer(
    t,
    createRefusalReply(500, "unavailable", { "retry-after": "0" }),
  );
  const retries = 2;
  await getRefusal(createClient({ baseUrl: invalidField.baseUrl, retries }).notify(TEXT));
  await getRefusal(createClient({ baseUrl: longRetryAfter.baseUrl, retries }).notify(TEXT));
  await getRefusal(
    createClient({ baseUrl: unsafeRequest.baseUrl, retries }).keys.create({ kind: "account" }),
  );
  assert.deepEqual(
    [invalidField.requests.length, longRetryAfter.requests.length, unsafeRequest.requests.length],
    [1, 1, 1],
  );
});

test("the signal ends the wait before a retry", async (t) => {
  const { baseUrl } = await startServer(
    t,
    createRefusalReply(429, "rate_limited", { "retry-after": "50" }),
  );
  const reason = new Error("no time");
  const controller = new AbortController();
  const client = createClient({
    baseUrl,
    retries: 1,
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      // The client waits after it has read the response.
      setTimeout(() => controller.abort(reason), 50);
      return response;
    },
  });
  assert.equal(await getRejection(client.me({ signal: controller.signal })), reason);
});

test("an invalid base URL, number of retries or timeout is refused", () => {
  for (const baseUrl of ["", "/api", "ftp://example.org", "https://user:secret@example.org"]) {
    assert.throws(() => createClient({ baseUrl }), { name: "TypeError", message: /^baseUrl must/ });
  }
  const baseUrl = "https://example.org";
  assert.throws(() => createClient({ baseUrl, retries: 11 }), /^TypeError: retries must/);
  assert.throws(() => createClient({ baseUrl, timeoutMs: 0 }), /^TypeError: timeoutMs must/);
});

test("an id that a URL would drop is refused and nothing is sent", async (t) => {
  const { baseUrl, requests } = await startServer(t, createJsonReply(200, {}));
  for (const id of ["", ".", ".."]) {
    await assert.rejects(createClient({ baseUrl }).devices.remove(id), TypeError);
  }
  assert.equal(requests.length, 0);
});

test("the URL of an API or of a request is reduced to its server", async (t) => {
  const { baseUrl, requests } = await startServer(t, createJsonReply(200, SENT));
  for (const path of ["/api/v1", "/api/v1/", `/api/v1/notify/${KEY}`, "/api/app/v1", "///"]) {
    assert.equal(normalizeBaseUrl(baseUrl + path), baseUrl);
    await createClient({ baseUrl: baseUrl + path, apiKey: KEY }).notify(TEXT);
  }
  assert.deepEqual(new Set(requests.map(({ url }) => url)), new Set(["/api/v1/notify"]));
  assert.equal(normalizeBaseUrl("https://a.org/push/api/management/v1"), "https://a.org/push");
  for (const other of ["https://a.org/api", "https://a.org/api/v10", "https://a.org/rapi/v1"]) {
    assert.equal(normalizeBaseUrl(`${other}/`), other);
  }
});

test("a redirect error names the target without the path", async (t) => {
  const cases = [
    ["https://push.example.org/api/v1/notify/secret", " to https://push.example.org"],
    ["javascript:alert(1)", ""],
    ["http://[", ""],
  ] as const;
  for (const [location, target] of cases) {
    const { baseUrl } = await startServer(t, createJsonReply(301, {}, { location }));
    const { message } = await getRefusal(createClient({ baseUrl }).me());
    assert.ok(
      message.endsWith(`with a redirect${target}; set baseUrl to the final address`),
      message,
    );
  }
});
