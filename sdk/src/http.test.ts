import assert from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import { test, type TestContext } from "node:test";
import { inspect } from "node:util";
import { createClient } from "./client.ts";
import { TocsinConnectionError, TocsinError } from "./errors.ts";
import { json, refusal, serve } from "./serve.fixture.ts";
import { serverAddress, type Fetch } from "./server.ts";

const KEY = "1b4e28ba-2fa1-4d2b-883f-0016d3cca427";
const TEXT = { title: "Fire", body: "In the hall" };
const SENT = { success: true, message: "Delivered to 0 of 0 devices", responses: [] };

/** Returns the reason of the promise's rejection. */
async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new assert.AssertionError({ message: "It did not fail." });
}

async function refusalOf(promise: Promise<unknown>): Promise<TocsinError> {
  const error = await failureOf(promise);
  assert.ok(error instanceof TocsinError, inspect(error));
  return error;
}

async function connectionErrorOf(promise: Promise<unknown>): Promise<TocsinConnectionError> {
  const error = await failureOf(promise);
  assert.ok(error instanceof TocsinConnectionError, inspect(error));
  return error;
}

test("an error of the notification API contains every field of the response", async (t) => {
  const { baseUrl } = await serve(t, refusal(429, "rate_limited", { "retry-after": "7" }));
  const error = await refusalOf(createClient({ baseUrl, apiKey: KEY }).notify(TEXT));
  assert.equal(error.status, 429);
  assert.equal(error.code, "rate_limited");
  assert.equal(error.field, "title");
  assert.equal(error.requestId, "r-1");
  assert.equal(error.message, "Refused: rate_limited");
  assert.equal(error.retryAfterMs, 7_000);
});

test("an error of the management API carries its code as a string", async (t) => {
  const body = { success: false, message: "No such team.", error: "unknown_team" };
  const { baseUrl } = await serve(t, json(400, body));
  const { management } = createClient({ baseUrl, apiKey: KEY });
  const error = await refusalOf(management.invite({ team: KEY, email: "ada@example.org" }));
  assert.deepEqual([error.code, error.field, error.requestId], ["unknown_team", null, null]);
  assert.deepEqual(error.body, body);
});

test("a date in Retry-After is relative to the Date of the response", async (t) => {
  const headers = {
    date: "Wed, 04 Nov 2026 10:00:00 GMT",
    "retry-after": "Wed, 04 Nov 2026 10:00:30 GMT",
  };
  const { baseUrl } = await serve(t, refusal(500, "unavailable", headers));
  const error = await refusalOf(createClient({ baseUrl, apiKey: KEY }).notify(TEXT));
  assert.equal(error.retryAfterMs, 30_000);
});

test("a response that is not JSON is not_json, with any status", async (t) => {
  for (const status of [200, 204, 502]) {
    const { baseUrl } = await serve(t, (response) => response.writeHead(status).end());
    const error = await refusalOf(createClient({ baseUrl }).me());
    assert.deepEqual([error.status, error.code, error.body], [status, "not_json", null]);
  }
});

test("JSON that is not from Tocsin is unexpected_answer", async (t) => {
  const { baseUrl } = await serve(t, json(403, ["blocked"]));
  const error = await refusalOf(createClient({ baseUrl }).me());
  assert.equal(error.code, "unexpected_answer");
});

test("a redirect is not followed, so that no key reaches its target", async (t) => {
  const redirectTarget = await serve(t, json(200, SENT));
  const { baseUrl } = await serve(t, json(307, {}, { location: `${redirectTarget.baseUrl}/` }));
  const error = await refusalOf(createClient({ baseUrl, apiKey: KEY }).notify(TEXT));
  assert.deepEqual([error.status, error.code], [307, "redirected"]);
  assert.equal(redirectTarget.requests.length, 0);
});

test("no error contains a key, even if the response or the runtime repeats it", async (t) => {
  const echo = await serve(t, (response, { url }) => {
    response.writeHead(404).end(JSON.stringify({ message: `No route ${url}`, error: { url } }));
  });
  const client = createClient({ baseUrl: echo.baseUrl, apiKey: KEY });
  const leaky = createClient({
    baseUrl: "http://push.example.org:8080",
    fetch: (url) => Promise.reject(new TypeError(`error sending request for url (${url})`)),
  });
  const errors = [
    await refusalOf(client.notifyWithKey(KEY, TEXT)),
    await refusalOf(client.notifyWebhook(KEY, TEXT)),
    await connectionErrorOf(leaky.notifyWithKey(KEY, TEXT)),
    await connectionErrorOf(
      createClient({ baseUrl: echo.baseUrl, apiKey: `${KEY}\n.` }).notify(TEXT),
    ),
  ];
  for (const error of errors)
    assert.ok(!inspect(error, { depth: 10 }).includes(KEY), error.message);
  assert.equal(errors[2]?.message, "notifyWithKey: no answer from push.example.org:8080");
});

test("a connection that breaks is a TocsinConnectionError with its cause", async (t) => {
  const { baseUrl } = await serve(t, (response) => response.destroy());
  const error = await connectionErrorOf(createClient({ baseUrl }).me());
  assert.deepEqual([error.operation, error.isTimeout], ["me", false]);
  assert.equal(error.host, new URL(baseUrl).host);
  assert.ok(error.cause instanceof Error);
});

test("a response that stalls, before its headers or in its body, is a timeout", async (t) => {
  const silent = await serve(t, () => {});
  const stalled = await serve(t, (response) => response.writeHead(200).write('{"id":'));
  for (const { baseUrl } of [silent, stalled]) {
    const error = await connectionErrorOf(createClient({ baseUrl, timeoutMs: 50 }).me());
    assert.equal(error.isTimeout, true);
  }
});

test("the caller's signal rejects with its own reason", async (t) => {
  const { baseUrl } = await serve(t, () => {});
  const reason = new Error("changed my mind");
  const options = { signal: AbortSignal.abort(reason) };
  assert.equal(await failureOf(createClient({ baseUrl }).me(options)), reason);
});

test("without retries, a send is attempted once and carries no idempotency key", async (t) => {
  const { baseUrl, requests } = await serve(t, refusal(500, "unavailable", { "retry-after": "0" }));
  await refusalOf(createClient({ baseUrl, apiKey: KEY }).notify(TEXT));
  assert.equal(requests.length, 1);
  assert.equal(requests[0]?.headers["idempotency-key"], undefined);
});

test("a send is retried with one idempotency key until it is accepted", async (t) => {
  const { baseUrl, requests } = await serve(
    t,
    (response) => response.destroy(),
    refusal(429, "rate_limited", { "retry-after": "0" }),
    json(200, SENT),
  );
  await createClient({ baseUrl, apiKey: KEY, retries: 2 }).notifyWebhook(KEY, TEXT);
  const keys = requests.map(({ headers }) => headers["idempotency-key"]);
  assert.equal(keys.length, 3);
  assert.match(String(keys[0]), /^[0-9a-f]{32}$/);
  assert.equal(new Set(keys).size, 1);
});

test("the last error is thrown when all retries are used", async (t) => {
  const { baseUrl, requests } = await serve(t, refusal(500, "unavailable", { "retry-after": "0" }));
  const error = await refusalOf(createClient({ baseUrl, apiKey: KEY, retries: 3 }).notify(TEXT));
  assert.deepEqual([error.code, requests.length], ["unavailable", 4]);
});

test("a permanent error, a long Retry-After and an unsafe request are not retried", async (t) => {
  const wrong = await serve(t, refusal(400, "invalid_field", { "retry-after": "0" }));
  const long = await serve(t, refusal(429, "rate_limited", { "retry-after": "61" }));
  const post = await serve(t, refusal(500, "unavailable", { "retry-after": "0" }));
  const retries = 2;
  await refusalOf(createClient({ baseUrl: wrong.baseUrl, retries }).notify(TEXT));
  await refusalOf(createClient({ baseUrl: long.baseUrl, retries }).notify(TEXT));
  await refusalOf(
    createClient({ baseUrl: post.baseUrl, retries }).keys.create({ kind: "account" }),
  );
  assert.deepEqual([wrong.requests.length, long.requests.length, post.requests.length], [1, 1, 1]);
});

test("the signal ends the wait before a retry", async (t) => {
  const { baseUrl } = await serve(t, refusal(429, "rate_limited", { "retry-after": "50" }));
  const reason = new Error("no time");
  const controller = new AbortController();
  const client = createClient({
    baseUrl,
    retries: 1,
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      // The client waits after it has read the answer.
      setTimeout(() => controller.abort(reason), 50);
      return response;
    },
  });
  assert.equal(await failureOf(client.me({ signal: controller.signal })), reason);
});

test("an invalid base URL or number is refused without repeating it", () => {
  for (const baseUrl of ["", "/api", "ftp://example.org", "https://user:secret@example.org"]) {
    assert.throws(() => createClient({ baseUrl }), { name: "TypeError", message: /^baseUrl must/ });
  }
  const baseUrl = "https://example.org";
  assert.throws(() => createClient({ baseUrl, retries: 11 }), /^TypeError: retries must/);
  assert.throws(() => createClient({ baseUrl, timeoutMs: 0 }), /^TypeError: timeoutMs must/);
});

test("an id that a URL would drop is refused and nothing is sent", async (t) => {
  const { baseUrl, requests } = await serve(t, json(200, {}));
  for (const id of ["", ".", ".."]) {
    await assert.rejects(createClient({ baseUrl }).devices.remove(id), TypeError);
  }
  assert.equal(requests.length, 0);
});

test("the URL of an API or of a request is reduced to its server", async (t) => {
  const { baseUrl, requests } = await serve(t, json(200, SENT));
  for (const path of ["/api/v1", "/api/v1/", `/api/v1/notify/${KEY}`, "/api/app/v1", "///"]) {
    assert.equal(serverAddress(baseUrl + path), baseUrl);
    await createClient({ baseUrl: baseUrl + path, apiKey: KEY }).notify(TEXT);
  }
  assert.deepEqual(new Set(requests.map(({ url }) => url)), new Set(["/api/v1/notify"]));
  assert.equal(serverAddress("https://a.org/push/api/management/v1"), "https://a.org/push");
  for (const other of ["https://a.org/api", "https://a.org/api/v10", "https://a.org/rapi/v1"]) {
    assert.equal(serverAddress(`${other}/`), other);
  }
});

test("https: to an http: port is reported as such and not retried", async (t) => {
  const { baseUrl } = await serve(t, json(200, {}));
  let attempts = 0;
  const counted: Fetch = (url, init) => {
    attempts += 1;
    return fetch(url, init);
  };
  const client = createClient({
    baseUrl: baseUrl.replace("http:", "https:"),
    fetch: counted,
    retries: 3,
  });
  const error = await connectionErrorOf(client.me());
  assert.equal(error.schemeFault, "not_https");
  assert.match(
    error.message,
    /does not speak https: there, so baseUrl may have to begin with http:/,
  );
  assert.equal(attempts, 1);
});

test("http: to an https: port is reported as such, for every kind of response", async (t) => {
  const alert = await startRaw(t, (socket) => {
    socket.write(Buffer.from([21, 3, 3, 0, 2, 2, 70]), () => socket.destroySoon());
  });
  assert.equal((await connectionErrorOf(alert.me())).schemeFault, "not_http");
  const closed = await startRaw(t, (socket) => socket.destroy());
  const ambiguous = await connectionErrorOf(closed.me());
  assert.equal(ambiguous.schemeFault, "maybe_not_http");
  assert.match(ambiguous.message, /; if it speaks https:, baseUrl must begin so$/);
  for (const text of [
    "<title>400 The plain HTTP request was sent to HTTPS port</title>",
    "Client sent an HTTP request to an HTTPS server.\n",
    "Reason: You're speaking plain HTTP to an SSL-enabled server port.<br />",
  ]) {
    const { baseUrl } = await serve(t, (response) => response.writeHead(400).end(text));
    const error = await refusalOf(createClient({ baseUrl }).me());
    assert.deepEqual([error.status, error.code], [400, "https_expected"]);
    assert.match(error.message, /speaks https: there; baseUrl must begin with https:/);
  }
});

test("a response that began or never arrived gives no hint about the scheme", async (t) => {
  const cut = await serve(t, (response) => {
    response.writeHead(200, { "content-length": "9" }).write("{", () => response.destroy());
  });
  assert.equal((await connectionErrorOf(createClient(cut).me())).schemeFault, null);
  const silent = await serve(t, () => {});
  const late = createClient({ baseUrl: silent.baseUrl, timeoutMs: 50 });
  assert.equal((await connectionErrorOf(late.me())).schemeFault, null);
  const refused = createClient({ baseUrl: "http://127.0.0.1:1" });
  assert.equal((await connectionErrorOf(refused.me())).schemeFault, null);
});

test("a redirect error names the target without the path", async (t) => {
  const cases = [
    ["https://push.example.org/api/v1/notify/secret", " to https://push.example.org"],
    ["javascript:alert(1)", ""],
    ["http://[", ""],
  ] as const;
  for (const [location, target] of cases) {
    const { baseUrl } = await serve(t, json(301, {}, { location }));
    const { message } = await refusalOf(createClient({ baseUrl }).me());
    assert.ok(
      message.endsWith(`with a redirect${target}; set baseUrl to the final address`),
      message,
    );
  }
});

/** Returns a client of a server whose `onRequest` gets each connection after its first bytes. */
async function startRaw(t: TestContext, onRequest: (socket: Socket) => void) {
  const server = createServer((socket) => socket.once("data", () => onRequest(socket)));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => new Promise((resolve) => server.close(resolve)));
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  return createClient({ baseUrl: `http://127.0.0.1:${address.port}` });
}
