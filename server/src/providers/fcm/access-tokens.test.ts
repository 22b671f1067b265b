import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import type { ServerResponse } from "node:http";
import { test, type TestContext } from "node:test";
import { Arrivals } from "../../../test/doubles/arrivals.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { startPushPeer } from "../../../test/support/push-peer.ts";
import { AccessTokens } from "./access-tokens.ts";

const MINUTE_MS = 60_000;
const neverAborted = new AbortController().signal;
const credentials = {
  projectId: "my-project-1",
  clientEmail: "sender@my-project-1.iam.gserviceaccount.com",
  privateKeyId: "key-1",
  privateKey: generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey,
};

/** The behaviour of the token endpoint. */
interface Endpoint {
  /** Responds instead of granting a token; null to grant one. */
  respond: ((response: ServerResponse) => void) | null;
  ttlS: number;
}

/** Starts an endpoint that grants `token-1`, `token-2` and so on, each for an hour by default. */
async function setUp(t: TestContext) {
  const clock = { ms: 5_000, startedAt: Date.UTC(2026, 10, 20, 12, 0, 0) };
  const tokenRequests = new Arrivals<null>("requests for a token");
  const endpoint: Endpoint = { respond: null, ttlS: 3_600 };
  let grantedCount = 0;
  const { origin } = await startPushPeer(t, (response) => {
    response.sendDate = false;
    if (endpoint.respond === null) {
      grantedCount += 1;
      const { ttlS } = endpoint;
      response.end(JSON.stringify({ access_token: `token-${grantedCount}`, expires_in: ttlS }));
    } else {
      endpoint.respond(response);
    }
    tokenRequests.add(null);
  });
  const tokenUrl = `${origin}/token`;
  const tokens = new AccessTokens({
    credentials,
    tokenUrl,
    now: () => clock.startedAt + clock.ms,
    elapsed: () => clock.ms,
  });
  t.after(async () => tokens.close());
  /** Resolves with the token, or with `failed` or `aborted`. */
  const getToken = async (signal = neverAborted): Promise<string> => {
    const result = await tokens.get(signal);
    return result.kind === "token" ? result.token : result.kind;
  };
  return { clock, tokenRequests, endpoint, tokens, getToken, tokenUrl };
}

function respondWithRefusal(response: ServerResponse): void {
  response.writeHead(400).end('{"error":"invalid_grant"}');
}

test("200 concurrent requests share one new token", async (t) => {
  const { tokenRequests, getToken } = await setUp(t);
  const results = await Promise.all(Array.from({ length: 200 }, async () => getToken()));
  assert.deepEqual(new Set(results), new Set(["token-1"]));
  assert.equal(tokenRequests.all.length, 1);
});

test("a token is renewed in the background five minutes before it expires", async (t) => {
  const { clock, tokenRequests, getToken } = await setUp(t);
  await getToken();
  clock.ms += 55 * MINUTE_MS - 1;
  assert.equal(await getToken(), "token-1");
  assert.equal(tokenRequests.all.length, 1);
  clock.ms += 1;
  const burstTokens = await Promise.all(Array.from({ length: 50 }, async () => getToken()));
  assert.deepEqual(new Set(burstTokens), new Set(["token-1"]));
  await tokenRequests.waitForCount(2);
  await eventually(getToken, (token) => token === "token-2");
  assert.equal(tokenRequests.all.length, 2);
});

test("the old token is used until it expires while a renewal fails", async (t) => {
  const { clock, tokenRequests, endpoint, getToken } = await setUp(t);
  await getToken();
  endpoint.respond = respondWithRefusal;
  clock.ms += 56 * MINUTE_MS;
  assert.equal(await getToken(), "token-1");
  await tokenRequests.waitForCount(2);
  clock.ms += 4 * MINUTE_MS - 1;
  assert.equal(await getToken(), "token-1");
  clock.ms += 1;
  assert.equal(await getToken(), "failed");
});

test("a token of one minute is renewed after half a minute", async (t) => {
  const { clock, tokenRequests, endpoint, getToken } = await setUp(t);
  endpoint.ttlS = 60;
  await getToken();
  clock.ms += 29_999;
  assert.equal(await getToken(), "token-1");
  await assert.rejects(tokenRequests.waitForCount(2, { timeoutMs: 50 }), /Waited/u);
  clock.ms += 1;
  assert.equal(await getToken(), "token-1");
  await tokenRequests.waitForCount(2);
});

test("a token expires by the monotonic clock, not by the wall clock", async (t) => {
  const { clock, tokenRequests, getToken } = await setUp(t);
  await getToken();
  clock.startedAt -= 24 * 60 * MINUTE_MS;
  clock.ms += 55 * MINUTE_MS - 1;
  assert.equal(await getToken(), "token-1");
  assert.equal(tokenRequests.all.length, 1);
  clock.ms += 5 * MINUTE_MS + 1;
  assert.equal(await getToken(), "token-2");
});

test("late refusals of a dropped token do not drop its successor", async (t) => {
  const { tokenRequests, tokens, getToken } = await setUp(t);
  const refusedToken = await getToken();
  const retries = Array.from({ length: 200 }, async () => {
    tokens.drop(refusedToken);
    return getToken();
  });
  assert.deepEqual(new Set(await Promise.all(retries)), new Set(["token-2"]));
  tokens.drop(refusedToken);
  assert.equal(await getToken(), "token-2");
  assert.equal(tokenRequests.all.length, 2);
});

test("each further failure is cached for twice as long, from one second up to one minute", async (t) => {
  const { clock, tokenRequests, endpoint, getToken } = await setUp(t);
  endpoint.respond = respondWithRefusal;
  const results = await Promise.all(Array.from({ length: 200 }, async () => getToken()));
  assert.deepEqual(new Set(results), new Set(["failed"]));
  assert.equal(tokenRequests.all.length, 1);
  for (const [index, seconds] of [1, 2, 4, 8, 16, 32, 60, 60].entries()) {
    clock.ms += seconds * 1000 - 1;
    assert.equal(await getToken(), "failed");
    assert.equal(tokenRequests.all.length, index + 1, `before ${seconds} s`);
    clock.ms += 1;
    await getToken();
    assert.equal(tokenRequests.all.length, index + 2, `after ${seconds} s`);
  }
  endpoint.respond = null;
  clock.ms += MINUTE_MS;
  assert.equal(await getToken(), "token-1");
});

test("the endpoint's retry delay is observed and counted down", async (t) => {
  const { clock, tokenRequests, endpoint, tokens } = await setUp(t);
  endpoint.respond = (response) => response.writeHead(503, { "retry-after": "120" }).end();
  const getAfterMs = async () => {
    const result = await tokens.get(neverAborted);
    assert.ok(result.kind === "failed" && result.outcome.kind === "retry");
    assert.equal(result.outcome.isCounted, false);
    return result.outcome.afterMs;
  };
  assert.equal(await getAfterMs(), 120_000);
  clock.ms += 90_000;
  assert.equal(await getAfterMs(), 30_000);
  assert.equal(tokenRequests.all.length, 1);
  clock.ms += 30_000;
  assert.equal(await getAfterMs(), 120_000);
  assert.equal(tokenRequests.all.length, 2);
});

test("a cancelled wait does not delay other requests", async (t) => {
  const { endpoint, tokenRequests, getToken } = await setUp(t);
  const responses: ServerResponse[] = [];
  endpoint.respond = (response) => responses.push(response);
  const controller = new AbortController();
  const cancelled = getToken(controller.signal);
  const waitingCaller = getToken();
  await tokenRequests.waitForCount(1);
  controller.abort();
  assert.equal(await cancelled, "aborted");
  responses[0]?.end('{"access_token":"late","expires_in":3600}');
  assert.equal(await waitingCaller, "late");
  assert.equal(await getToken(controller.signal), "aborted");
});

test("a token request after the close is unreachable and counts as no attempt", async (t) => {
  const { tokens, tokenUrl } = await setUp(t);
  await tokens.close();
  const result = await tokens.get(neverAborted);
  const reason = { code: "unreachable", detail: new URL(tokenUrl).host };
  const outcome = { kind: "retry", reason, afterMs: null, isCounted: false };
  assert.deepEqual(result, { kind: "failed", outcome });
});
