import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import type { ServerResponse } from "node:http";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { Arrivals } from "../../../test/doubles/arrivals.ts";
import { eventually } from "../../../test/support/eventually.ts";
import { startPushPeer } from "../../../test/support/push-peer.ts";
import { AccessTokens } from "./access-tokens.ts";

const MINUTE_MS = 60_000;
const never = new AbortController().signal;
const credentials = {
  projectId: "my-project-1",
  clientEmail: "sender@my-project-1.iam.gserviceaccount.com",
  privateKeyId: "key-1",
  privateKey: generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey,
};

interface Endpoint {
  /** Replaces the grant. */
  answer: ((response: ServerResponse) => void) | null;
  lifetimeS: number;
}

/** Starts an endpoint that grants `token-1`, `token-2` and so on, each for an hour, unless it is told otherwise. */
async function stage(t: TestContext) {
  const clock = { ms: 5_000, startedAt: Date.UTC(2026, 10, 20, 12, 0, 0) };
  const asked = new Arrivals<null>("requests for a token");
  const endpoint: Endpoint = { answer: null, lifetimeS: 3_600 };
  let granted = 0;
  const { origin } = await startPushPeer(t, (response) => {
    response.sendDate = false;
    if (endpoint.answer === null) {
      granted += 1;
      const { lifetimeS } = endpoint;
      response.end(JSON.stringify({ access_token: `token-${granted}`, expires_in: lifetimeS }));
    } else {
      endpoint.answer(response);
    }
    asked.add(null);
  });
  const tokenUrl = `${origin}/token`;
  const tokens = new AccessTokens({
    credentials,
    tokenUrl,
    now: () => clock.startedAt + clock.ms,
    elapsed: () => clock.ms,
  });
  t.after(async () => tokens.close());
  const current = async (signal = never): Promise<string> => {
    const result = await tokens.current(signal);
    return result.kind === "token" ? result.token : result.kind;
  };
  return { clock, asked, endpoint, tokens, current, tokenUrl };
}

function refuse(response: ServerResponse): void {
  response.writeHead(400).end('{"error":"invalid_grant"}');
}

test("200 concurrent requests without a token get one, minted once", async (t) => {
  const { asked, current } = await stage(t);
  const got = await Promise.all(Array.from({ length: 200 }, async () => current()));
  assert.deepEqual(new Set(got), new Set(["token-1"]));
  assert.equal(asked.all.length, 1);
});

test("five minutes before its end a token is renewed in the background", async (t) => {
  const { clock, asked, current } = await stage(t);
  await current();
  clock.ms += 55 * MINUTE_MS - 1;
  assert.equal(await current(), "token-1");
  assert.equal(asked.all.length, 1);
  clock.ms += 1;
  const burst = await Promise.all(Array.from({ length: 50 }, async () => current()));
  assert.deepEqual(new Set(burst), new Set(["token-1"]));
  await asked.received(2);
  await eventually(current, (token) => token === "token-2");
  assert.equal(asked.all.length, 2);
});

test("while a renewal hangs or fails, the old token serves to its end", async (t) => {
  const { clock, asked, endpoint, current } = await stage(t);
  await current();
  endpoint.answer = refuse;
  clock.ms += 56 * MINUTE_MS;
  assert.equal(await current(), "token-1");
  await asked.received(2);
  clock.ms += 4 * MINUTE_MS - 1;
  assert.equal(await current(), "token-1");
  clock.ms += 1;
  assert.equal(await current(), "failed");
});

test("a token of a minute serves for half of it before it is renewed", async (t) => {
  const { clock, asked, endpoint, current } = await stage(t);
  endpoint.lifetimeS = 60;
  await current();
  clock.ms += 29_999;
  assert.equal(await current(), "token-1");
  await assert.rejects(asked.received(2, { timeoutMs: 50 }), /Waited/u);
  clock.ms += 1;
  assert.equal(await current(), "token-1");
  await asked.received(2);
});

test("a token ends by what has elapsed, wherever the wall clock was set meanwhile", async (t) => {
  const { clock, asked, current } = await stage(t);
  await current();
  clock.startedAt -= 24 * 60 * MINUTE_MS;
  clock.ms += 55 * MINUTE_MS - 1;
  assert.equal(await current(), "token-1");
  assert.equal(asked.all.length, 1);
  clock.ms += 5 * MINUTE_MS + 1;
  assert.equal(await current(), "token-2");
});

test("a refused token is dropped by the first refusal, and its successor is not", async (t) => {
  const { asked, tokens, current } = await stage(t);
  const refused = await current();
  const again = Array.from({ length: 200 }, async () => {
    tokens.drop(refused);
    return current();
  });
  assert.deepEqual(new Set(await Promise.all(again)), new Set(["token-2"]));
  tokens.drop(refused);
  assert.equal(await current(), "token-2");
  assert.equal(asked.all.length, 2);
});

test("a failure is remembered for a second, then for twice as long, up to a minute", async (t) => {
  const { clock, asked, endpoint, current } = await stage(t);
  endpoint.answer = refuse;
  const burst = await Promise.all(Array.from({ length: 200 }, async () => current()));
  assert.deepEqual(new Set(burst), new Set(["failed"]));
  assert.equal(asked.all.length, 1);
  for (const [index, seconds] of [1, 2, 4, 8, 16, 32, 60, 60].entries()) {
    clock.ms += seconds * 1000 - 1;
    assert.equal(await current(), "failed");
    assert.equal(asked.all.length, index + 1, `before ${seconds} s`);
    clock.ms += 1;
    await current();
    assert.equal(asked.all.length, index + 2, `after ${seconds} s`);
  }
  endpoint.answer = null;
  clock.ms += MINUTE_MS;
  assert.equal(await current(), "token-1");
});

test("a wait that the endpoint asks for is kept and counted down", async (t) => {
  const { clock, asked, endpoint, tokens } = await stage(t);
  endpoint.answer = (response) => response.writeHead(503, { "retry-after": "120" }).end();
  const afterMs = async () => {
    const result = await tokens.current(never);
    assert.ok(result.kind === "failed" && result.outcome.kind === "retry");
    assert.equal(result.outcome.counted, false);
    return result.outcome.afterMs;
  };
  assert.equal(await afterMs(), 120_000);
  clock.ms += 90_000;
  assert.equal(await afterMs(), 30_000);
  assert.equal(asked.all.length, 1);
  clock.ms += 30_000;
  assert.equal(await afterMs(), 120_000);
  assert.equal(asked.all.length, 2);
});

test("a cancelled wait holds back no other request", async (t) => {
  const { endpoint, asked, current } = await stage(t);
  const held: ServerResponse[] = [];
  endpoint.answer = (response) => held.push(response);
  const controller = new AbortController();
  const impatient = current(controller.signal);
  const patient = current();
  await asked.received(1);
  controller.abort();
  assert.equal(await impatient, "given up");
  held[0]?.end('{"access_token":"late","expires_in":3600}');
  assert.equal(await patient, "late");
  assert.equal(await current(controller.signal), "given up");
});

test("an endpoint that cannot be reached fails without counting", async (t) => {
  const { tokens, tokenUrl } = await stage(t);
  await tokens.close();
  const result = await tokens.current(never);
  const reason = { code: "unreachable", detail: new URL(tokenUrl).host };
  const outcome = { kind: "retry", reason, afterMs: null, counted: false };
  assert.deepEqual(result, { kind: "failed", outcome });
});
