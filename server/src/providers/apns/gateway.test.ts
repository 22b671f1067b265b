import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import type { Http2Client, Http2Exchange, Http2Request, UnsentCause } from "../http2/http2.ts";
import { Gateway } from "./gateway.ts";
import { ProviderToken } from "./provider-token.ts";
import { messageWith } from "../../../test/support/push-message.ts";

const MINUTE_MS = 60 * 1000;
const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);
const { privateKey: key } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
const never = new AbortController().signal;

const message = messageWith({ body: "", createdAt: NOW, expiresAt: NOW + 60 * MINUTE_MS });

interface Asked {
  readonly authorization: string;
  /** Numbered from 1; retiring a connection opens the next. */
  readonly connection: number;
  readonly request: Http2Request;
}

type Said = Http2Exchange | { readonly status: number; readonly reason?: string };

/** A client whose answers the test scripts, with numbered connections. */
function scripted(say: (asked: Asked) => Said | Promise<Said>) {
  const all: Asked[] = [];
  let current = 1;
  const client: Http2Client = {
    async request(request) {
      const connection = current;
      const authorization = request.headers["authorization"] ?? "";
      const asked = { authorization, connection, request };
      all.push(asked);
      const said = await say(asked);
      if ("kind" in said) return said;
      const { status, reason } = said;
      const body = reason === undefined ? "" : JSON.stringify({ reason });
      const retire = (): void => {
        if (connection === current) current += 1;
      };
      return {
        kind: "answered",
        answer: { status, headers: {}, body },
        connection: { retire },
      };
    },
    async close() {},
  };
  return { all, client };
}

function gatewayOver(client: Http2Client) {
  const clock = { ms: NOW };
  const now = (): number => clock.ms;
  const elapsed = (): number => clock.ms - NOW;
  const clocks = { now, elapsed };
  const identity = { key, keyId: "ABC123DEFG", teamId: "DEF123GHIJ", ...clocks };
  const providerToken = new ProviderToken(identity);
  const topic = "org.example.app";
  const settings = { host: "push.example", client, providerToken, topic, ...clocks };
  const gateway = new Gateway(settings);
  const send = async (callerSignal = never) => {
    const push = { message, body: Buffer.from("{}"), deviceToken: "00fc13ad", callerSignal };
    return (await gateway.send({ ...push, signal: callerSignal })).outcome;
  };
  const sendMany = async (count: number) =>
    Promise.all(Array.from({ length: count }, async () => send()));
  return { clock, send, sendMany };
}

const OK: Said = { status: 200 };
const EXPIRED: Said = { status: 403, reason: "ExpiredProviderToken" };

function tokensOf(all: readonly Asked[]): number {
  return new Set(all.map(({ authorization }) => authorization)).size;
}

test("a push goes to the device's path with what the protocol demands", async () => {
  const { all, client } = scripted(() => OK);
  assert.deepEqual(await gatewayOver(client).send(), { kind: "accepted", receipt: null });
  const [asked] = all;
  assert.equal(asked?.request.path, "/3/device/00fc13ad");
  assert.equal(asked.request.body.toString(), "{}");
  assert.equal(asked.request.headers["apns-topic"], "org.example.app");
  assert.deepEqual(asked.request.neverIndexed, [":path", "authorization", "apns-id"]);
});

test("200 sends with an expired token make one new token and leave the connection", async () => {
  let expired = "";
  const { all, client } = scripted(({ authorization }) =>
    authorization === expired ? EXPIRED : OK,
  );
  const { clock, send, sendMany } = gatewayOver(client);
  await send();
  expired = all[0]?.authorization ?? "";
  clock.ms += 30 * MINUTE_MS;
  for (const { kind } of await sendMany(200)) assert.equal(kind, "accepted");
  assert.equal(tokensOf(all), 2);
  const renewed = all.filter(({ authorization }) => authorization !== expired);
  assert.equal(renewed.length, 200);
  assert.ok(renewed.every(({ connection }) => connection === 2));
});

test("a token that is refused as expired while it is fresh is the clock's fault, and is not replaced", async () => {
  const { all, client } = scripted(() => EXPIRED);
  const { sendMany } = gatewayOver(client);
  for (const outcome of await sendMany(200)) {
    assert.deepEqual(outcome, {
      kind: "refused",
      reason: {
        code: "provider_misconfigured",
        detail: "Apple answered 403 ExpiredProviderToken: check the clock of this server",
      },
    });
  }
  assert.equal(tokensOf(all), 1);
  // Each resend goes over another connection, and all 200 requests share them.
  assert.deepEqual(
    all.map(({ connection }) => connection),
    [1, 2, 3],
  );
});

test("a fresh token is not blamed for the one that an old connection saw before", async () => {
  const { all, client } = scripted(({ connection }) => (connection < 3 ? EXPIRED : OK));
  const { send } = gatewayOver(client);
  assert.equal((await send()).kind, "accepted");
  assert.equal(all.length, 3);
});

test("a burst on a wrong key costs one refusal", async () => {
  const { all, client } = scripted(() => ({ status: 403, reason: "InvalidProviderToken" }));
  for (const { kind } of await gatewayOver(client).sendMany(200)) assert.equal(kind, "refused");
  assert.equal(all.length, 1);
});

test("too many tokens make no new one, and the connection is left", async () => {
  let isTooMuch = false;
  const { all, client } = scripted(() =>
    isTooMuch ? { status: 429, reason: "TooManyProviderTokenUpdates" } : OK,
  );
  const { clock, send, sendMany } = gatewayOver(client);
  await send();
  clock.ms += 8 * MINUTE_MS;
  isTooMuch = true;
  for (const outcome of await sendMany(20)) {
    assert.equal(outcome.kind, "retry");
    assert.equal(outcome.isForAll, true);
    assert.equal(outcome.afterMs, 12 * MINUTE_MS);
    assert.equal(outcome.reason.code, "rate_limited");
  }
  isTooMuch = false;
  await send();
  assert.equal(tokensOf(all), 1);
  assert.equal(all.at(-1)?.connection, 2);
});

test("a connection that cannot serve the key, or sat idle, is left, and the push sent once more", async () => {
  for (const [status, reason, last] of [
    [403, "UnrelatedKeyIdInToken", "refused provider_misconfigured"],
    [400, "IdleTimeout", "retry transient"],
  ] as const) {
    const once = scripted(({ connection }) => (connection === 1 ? { status, reason } : OK));
    assert.equal((await gatewayOver(once.client).send()).kind, "accepted");
    assert.equal(once.all.length, 2);
    const always = scripted(() => ({ status, reason }));
    const outcome = await gatewayOver(always.client).send();
    assert.equal(outcome.kind === "accepted" || `${outcome.kind} ${outcome.reason.code}`, last);
    assert.equal(always.all.length, 2);
    assert.equal(tokensOf(always.all), 1);
  }
});

test("a connection that Apple shuts down takes no further push", async () => {
  const { all, client } = scripted(({ connection }) =>
    connection === 1 ? { status: 503, reason: "Shutdown" } : OK,
  );
  const { send } = gatewayOver(client);
  assert.equal((await send()).kind, "retry");
  assert.equal((await send()).kind, "accepted");
  assert.deepEqual(
    all.map(({ connection }) => connection),
    [1, 2],
  );
});

test("an answer that blames the device or the message leaves the connection open", async () => {
  const said = [{ status: 410, reason: "Unregistered" }, { status: 500 }, { status: 400 }];
  const { all, client } = scripted(() => said.shift() ?? OK);
  const { send } = gatewayOver(client);
  for (let count = 0; count < 4; count += 1) await send();
  assert.equal(all.at(-1)?.connection, 1);
});

test("a request without an answer means what is known of it", async () => {
  const error = new Error("x");
  const unsent = (cause: UnsentCause): Http2Exchange => ({ kind: "unsent", cause, error });
  const gaveUp = AbortSignal.abort();
  const table: readonly (readonly [Http2Exchange, AbortSignal, string])[] = [
    [unsent("unreachable"), never, "unreachable uncounted"],
    [unsent("refused"), never, "transient counted"],
    [unsent("given up"), never, "unreachable uncounted"],
    [unsent("given up"), gaveUp, "ambiguous uncounted"],
    [{ kind: "lost", error }, never, "ambiguous counted"],
    [{ kind: "lost", error }, gaveUp, "ambiguous counted"],
  ];
  for (const [exchange, signal, means] of table) {
    const { client } = scripted(() => exchange);
    const outcome = await gatewayOver(client).send(signal);
    assert.equal(outcome.kind, "retry");
    const { reason, counted, afterMs } = outcome;
    assert.equal(`${reason.code} ${counted ? "counted" : "uncounted"}`, means);
    assert.equal(reason.detail, "push.example");
    assert.equal(afterMs, null);
  }
});

test("a topic that no device has is refused; a device of another app is gone among others", async () => {
  const said: Said[] = [];
  const { client } = scripted(() => said.shift() ?? OK);
  const { send, sendMany } = gatewayOver(client);
  const foreign: Said = { status: 400, reason: "DeviceTokenNotForTopic" };
  said.push(foreign);
  assert.equal((await send()).kind, "refused");
  await sendMany(2);
  said.push(foreign);
  const doubt = await send();
  assert.equal(doubt.kind, "retry");
  assert.equal(doubt.reason.code, "provider_misconfigured");
  await sendMany(10);
  said.push(foreign);
  assert.equal((await send()).kind, "gone");
});
