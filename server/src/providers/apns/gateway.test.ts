import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import type { Http2Client, Http2Exchange, Http2Request, UnprocessedCause } from "../http2/http2.ts";
import { Gateway } from "./gateway.ts";
import { ProviderToken } from "./provider-token.ts";
import { createPushMessage } from "../../../test/support/push-message.ts";

const MINUTE_MS = 60 * 1000;
const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);
const { privateKey: key } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
const neverAborted = new AbortController().signal;

const message = createPushMessage({ body: "", createdAt: NOW, expiresAt: NOW + 60 * MINUTE_MS });

interface SentRequest {
  readonly authorization: string;
  /** The number of the connection, from 1. When one is retired, the next request opens another. */
  readonly connection: number;
  readonly request: Http2Request;
}

type ScriptedResponse = Http2Exchange | { readonly status: number; readonly reason?: string };

/** Returns a client with scripted responses and numbered connections. */
function createScriptedClient(
  respond: (sent: SentRequest) => ScriptedResponse | Promise<ScriptedResponse>,
) {
  const requests: SentRequest[] = [];
  let current = 1;
  const client: Http2Client = {
    async request(request) {
      const connection = current;
      const authorization = request.headers["authorization"] ?? "";
      const sentRequest = { authorization, connection, request };
      requests.push(sentRequest);
      const response = await respond(sentRequest);
      if ("kind" in response) return response;
      const { status, reason } = response;
      const body = reason === undefined ? "" : JSON.stringify({ reason });
      const retire = (): void => {
        if (connection === current) current += 1;
      };
      return {
        kind: "answered",
        response: { status, headers: {}, body },
        connection: { retire },
      };
    },
    async close() {},
  };
  return { requests, client };
}

function openGateway(client: Http2Client) {
  const clock = { ms: NOW };
  const now = (): number => clock.ms;
  const elapsed = (): number => clock.ms - NOW;
  const clocks = { now, elapsed };
  const tokenDeps = { key, keyId: "ABC123DEFG", teamId: "DEF123GHIJ", ...clocks };
  const providerToken = new ProviderToken(tokenDeps);
  const topic = "org.example.app";
  const deps = { host: "push.example", client, providerToken, topic, ...clocks };
  const gateway = new Gateway(deps);
  const send = async (callerSignal = neverAborted) => {
    const push = { message, body: Buffer.from("{}"), deviceToken: "00fc13ad", callerSignal };
    return (await gateway.send({ ...push, signal: callerSignal })).outcome;
  };
  const sendMany = async (count: number) =>
    Promise.all(Array.from({ length: count }, async () => send()));
  return { clock, send, sendMany };
}

const OK: ScriptedResponse = { status: 200 };
const EXPIRED: ScriptedResponse = { status: 403, reason: "ExpiredProviderToken" };

function countTokens(requests: readonly SentRequest[]): number {
  return new Set(requests.map(({ authorization }) => authorization)).size;
}

test("a push goes to the device's path with the required headers", async () => {
  const { requests, client } = createScriptedClient(() => OK);
  assert.deepEqual(await openGateway(client).send(), { kind: "accepted", receipt: null });
  const [sentRequest] = requests;
  assert.equal(sentRequest?.request.path, "/3/device/00fc13ad");
  assert.equal(sentRequest.request.body.toString(), "{}");
  assert.equal(sentRequest.request.headers["apns-topic"], "org.example.app");
  assert.deepEqual(sentRequest.request.neverIndexed, [":path", "authorization", "apns-id"]);
});

test("200 sends with an expired token sign one new token for a new connection", async () => {
  let expired = "";
  const { requests, client } = createScriptedClient(({ authorization }) =>
    authorization === expired ? EXPIRED : OK,
  );
  const { clock, send, sendMany } = openGateway(client);
  await send();
  expired = requests[0]?.authorization ?? "";
  clock.ms += 30 * MINUTE_MS;
  for (const { kind } of await sendMany(200)) assert.equal(kind, "accepted");
  assert.equal(countTokens(requests), 2);
  const renewed = requests.filter(({ authorization }) => authorization !== expired);
  assert.equal(renewed.length, 200);
  assert.ok(renewed.every(({ connection }) => connection === 2));
});

test("a fresh token that is refused as expired is kept, and the detail blames the clock", async () => {
  const { requests, client } = createScriptedClient(() => EXPIRED);
  const { sendMany } = openGateway(client);
  for (const outcome of await sendMany(200)) {
    assert.deepEqual(outcome, {
      kind: "refused",
      reason: {
        code: "provider_misconfigured",
        detail: "Apple answered 403 ExpiredProviderToken: check the clock of this server",
      },
    });
  }
  assert.equal(countTokens(requests), 1);
  // Each resend goes over another connection. All 200 sends share these three requests.
  assert.deepEqual(
    requests.map(({ connection }) => connection),
    [1, 2, 3],
  );
});

test("a fresh token that old connections refuse is accepted on a new one", async () => {
  const { requests, client } = createScriptedClient(({ connection }) =>
    connection < 3 ? EXPIRED : OK,
  );
  const { send } = openGateway(client);
  assert.equal((await send()).kind, "accepted");
  assert.equal(requests.length, 3);
});

test("a burst with a wrong key costs one refusal", async () => {
  const { requests, client } = createScriptedClient(() => ({
    status: 403,
    reason: "InvalidProviderToken",
  }));
  for (const { kind } of await openGateway(client).sendMany(200)) assert.equal(kind, "refused");
  assert.equal(requests.length, 1);
});

test("the gateway keeps the token and replaces the connection after too many token updates", async () => {
  let isThrottled = false;
  const { requests, client } = createScriptedClient(() =>
    isThrottled ? { status: 429, reason: "TooManyProviderTokenUpdates" } : OK,
  );
  const { clock, send, sendMany } = openGateway(client);
  await send();
  clock.ms += 8 * MINUTE_MS;
  isThrottled = true;
  for (const outcome of await sendMany(20)) {
    assert.equal(outcome.kind, "retry");
    assert.equal(outcome.affectsAllDevices, true);
    assert.equal(outcome.afterMs, 12 * MINUTE_MS);
    assert.equal(outcome.reason.code, "rate_limited");
  }
  isThrottled = false;
  await send();
  assert.equal(countTokens(requests), 1);
  assert.equal(requests.at(-1)?.connection, 2);
});

test("a push is sent once more if its connection was idle or cannot serve the key", async () => {
  for (const [status, reason, finalResult] of [
    [403, "UnrelatedKeyIdInToken", "refused provider_misconfigured"],
    [400, "IdleTimeout", "retry transient"],
  ] as const) {
    const failingOnce = createScriptedClient(({ connection }) =>
      connection === 1 ? { status, reason } : OK,
    );
    assert.equal((await openGateway(failingOnce.client).send()).kind, "accepted");
    assert.equal(failingOnce.requests.length, 2);
    const failingAlways = createScriptedClient(() => ({ status, reason }));
    const outcome = await openGateway(failingAlways.client).send();
    assert.equal(
      outcome.kind === "accepted" || `${outcome.kind} ${outcome.reason.code}`,
      finalResult,
    );
    assert.equal(failingAlways.requests.length, 2);
    assert.equal(countTokens(failingAlways.requests), 1);
  }
});

test("a connection that Apple shuts down is not used again", async () => {
  const { requests, client } = createScriptedClient(({ connection }) =>
    connection === 1 ? { status: 503, reason: "Shutdown" } : OK,
  );
  const { send } = openGateway(client);
  assert.equal((await send()).kind, "retry");
  assert.equal((await send()).kind, "accepted");
  assert.deepEqual(
    requests.map(({ connection }) => connection),
    [1, 2],
  );
});

test("an error of the device, the message or the service keeps the connection open", async () => {
  const responses = [{ status: 410, reason: "Unregistered" }, { status: 500 }, { status: 400 }];
  const { requests, client } = createScriptedClient(() => responses.shift() ?? OK);
  const { send } = openGateway(client);
  for (let count = 0; count < 4; count += 1) await send();
  assert.equal(requests.at(-1)?.connection, 1);
});

test("the outcome of an unanswered request depends on its failure", async () => {
  const error = new Error("x");
  const createUnprocessedExchange = (cause: UnprocessedCause): Http2Exchange => ({
    kind: "unprocessed",
    cause,
    error,
  });
  const aborted = AbortSignal.abort();
  const table: readonly (readonly [
    exchange: Http2Exchange,
    signal: AbortSignal,
    expected: string,
  ])[] = [
    [createUnprocessedExchange("unreachable"), neverAborted, "unreachable uncounted"],
    [createUnprocessedExchange("refused"), neverAborted, "transient counted"],
    [createUnprocessedExchange("aborted"), neverAborted, "unreachable uncounted"],
    [createUnprocessedExchange("aborted"), aborted, "ambiguous uncounted"],
    [{ kind: "lost", error }, neverAborted, "ambiguous counted"],
    [{ kind: "lost", error }, aborted, "ambiguous counted"],
  ];
  for (const [exchange, signal, expected] of table) {
    const { client } = createScriptedClient(() => exchange);
    const outcome = await openGateway(client).send(signal);
    assert.equal(outcome.kind, "retry");
    const { reason, isCounted, afterMs } = outcome;
    assert.equal(`${reason.code} ${isCounted ? "counted" : "uncounted"}`, expected);
    assert.equal(reason.detail, "push.example");
    assert.equal(afterMs, null);
  }
});

test("a device of another app is gone only if other devices accept the topic", async () => {
  const responses: ScriptedResponse[] = [];
  const { client } = createScriptedClient(() => responses.shift() ?? OK);
  const { send, sendMany } = openGateway(client);
  const otherTopic: ScriptedResponse = { status: 400, reason: "DeviceTokenNotForTopic" };
  responses.push(otherTopic);
  assert.equal((await send()).kind, "refused");
  await sendMany(2);
  responses.push(otherTopic);
  const unclearOutcome = await send();
  assert.equal(unclearOutcome.kind, "retry");
  assert.equal(unclearOutcome.reason.code, "provider_misconfigured");
  await sendMany(10);
  responses.push(otherTopic);
  assert.equal((await send()).kind, "gone");
});
