import { createPrivateKey } from "node:crypto";
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { ApnsService } from "../../../test/doubles/apns/apns-service.ts";
import { generateProviderKey } from "../../../test/doubles/apns/provider-key.ts";
import { SimulatedIphone } from "../../../test/doubles/apns/simulated-iphone.ts";
import { createApnsProvider } from "./apns.ts";
import { createPushMessage } from "../../../test/support/push-message.ts";

const MINUTE_MS = 60 * 1000;
const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);
const TEAM_ID = "DEF123GHIJ";
const TOPIC = "org.example.app";
const neverAborted = new AbortController().signal;

const message = createPushMessage({
  sound: "arcade",
  channel: "alerts",
  link: "https://example.org/disk",
  image: "https://example.org/disk.png",
  timeSensitive: true,
  createdAt: NOW - 1_000,
  expiresAt: NOW + 60 * MINUTE_MS,
});

/** Starts an APNs double and a provider with a key for it. Each has its own clock. */
async function setUp(t: TestContext, limits: { maxConcurrentStreams?: number } = {}) {
  const clock = { apple: NOW, ours: NOW };
  const { privateKey, ...key } = generateProviderKey();
  const rules = {
    environment: "production",
    teamId: TEAM_ID,
    keys: [key],
    topics: [TOPIC],
  } as const;
  const apple = await ApnsService.start({ ...rules, ...limits, now: () => clock.apple });
  t.after(async () => apple.close());
  const provider = createApnsProvider({
    key: createPrivateKey(privateKey),
    keyId: key.keyId,
    teamId: TEAM_ID,
    topic: TOPIC,
    url: apple.origin,
    sandboxUrl: apple.origin,
    ca: apple.ca,
    now: () => clock.ours,
    elapsed: () => clock.ours,
    random: () => 0.5,
  });
  t.after(async () => provider.close());
  const send = async ({ token }: SimulatedIphone) => {
    const environment = "production";
    const address = { provider: "apns", token, environment, isConfirmed: true } as const;
    return provider.send(message, address, neverAborted);
  };
  return { clock, apple, send };
}

function createIphones(service: ApnsService, count: number): readonly SimulatedIphone[] {
  return Array.from({ length: count }, () => new SimulatedIphone(service));
}

function countTokens({ requests }: ApnsService): number {
  return new Set(requests.map(({ headers }) => headers.authorization)).size;
}

function listConnections({ requests }: ApnsService): readonly number[] {
  return [...new Set(requests.map(({ connection }) => connection))];
}

test("an iPhone shows every field of the message", async (t) => {
  const { apple, send } = await setUp(t);
  const iphone = new SimulatedIphone(apple);
  const outcome = await send(iphone);
  const alert = await iphone.next();
  assert.equal(outcome.kind === "accepted" && outcome.receipt, alert.push.apnsId);
  const { push, ...content } = alert;
  assert.deepEqual(content, {
    title: "Disk full",
    subtitle: null,
    body: "99 % of /var is used",
    sound: "arcade.caf",
    threadId: "alerts",
    interruptionLevel: "time-sensitive",
    relevanceScore: 1,
    isMutable: true,
    custom: {
      id: message.notificationId,
      channel: "alerts",
      link: message.link,
      image: message.image,
      ts: (NOW - 1_000) / 1000,
    },
  });
  assert.equal(push.collapseId, message.notificationId);
  assert.equal(push.expiresAtS, message.expiresAt / 1000);
  const [firstRequest] = apple.requests;
  assert.deepEqual(firstRequest?.neverIndexed.toSorted(), [":path", "apns-id", "authorization"]);
});

test("200 sends on a cold start arrive once each over two connections", async (t) => {
  const { apple, send } = await setUp(t, { maxConcurrentStreams: 20 });
  const iphones = createIphones(apple, 200);
  const outcomes = await Promise.all(iphones.map(async (iphone) => send(iphone)));
  for (const { kind } of outcomes) assert.equal(kind, "accepted");
  for (const { messages } of iphones) assert.equal(messages.length, 1);
  assert.equal(listConnections(apple).length, 2);
  assert.equal(countTokens(apple), 1);
});

test("64 sends that a GOAWAY interrupts arrive once each", async (t) => {
  const { apple, send } = await setUp(t);
  const [first, ...iphones] = createIphones(apple, 65);
  assert.ok(first !== undefined);
  await send(first);
  apple.script({ kind: "goaway", when: "before-request" });
  const outcomes = await Promise.all(iphones.map(async (iphone) => send(iphone)));
  for (const { kind } of outcomes) assert.equal(kind, "accepted");
  for (const { messages } of iphones) assert.equal(messages.length, 1);
  assert.ok(listConnections(apple).length > 1);
});

test("200 sends with an expired token sign exactly one new token", async (t) => {
  const { clock, apple, send } = await setUp(t);
  const [first, ...iphones] = createIphones(apple, 201);
  assert.ok(first !== undefined);
  await send(first);
  clock.ours += 30 * MINUTE_MS;
  clock.apple += 61 * MINUTE_MS;
  const outcomes = await Promise.all(iphones.map(async (iphone) => send(iphone)));
  for (const { kind } of outcomes) assert.equal(kind, "accepted");
  for (const { messages } of iphones) assert.equal(messages.length, 1);
  assert.equal(countTokens(apple), 2);
});

test("a burst with a clock that is hours behind stops after three requests", async (t) => {
  const { clock, apple, send } = await setUp(t);
  clock.ours -= 120 * MINUTE_MS;
  const iphones = createIphones(apple, 200);
  const outcomes = await Promise.all(iphones.map(async (iphone) => send(iphone)));
  for (const outcome of outcomes) {
    assert.ok(outcome.kind === "refused");
    assert.match(outcome.reason.detail ?? "", /ExpiredProviderToken: check the clock/u);
  }
  assert.equal(countTokens(apple), 1);
  assert.equal(apple.requests.length, 3);
});

test("the client sends the same token on a new connection after too many token updates", async (t) => {
  const { clock, apple, send } = await setUp(t);
  const iphone = new SimulatedIphone(apple);
  await send(iphone);
  clock.ours += 10 * MINUTE_MS;
  iphone.script({ kind: "answer", status: 429, reason: "TooManyProviderTokenUpdates" });
  const outcome = await send(iphone);
  assert.ok(outcome.kind === "retry");
  assert.equal(outcome.affectsAllDevices, true);
  assert.equal(outcome.afterMs, 10 * MINUTE_MS);
  assert.equal((await send(iphone)).kind, "accepted");
  assert.equal(countTokens(apple), 1);
  assert.deepEqual(listConnections(apple), [1, 2]);
});

test("a token renewal keeps the connection", async (t) => {
  const { clock, apple, send } = await setUp(t);
  const iphone = new SimulatedIphone(apple);
  for (let count = 0; count < 3; count += 1) {
    assert.equal((await send(iphone)).kind, "accepted");
    clock.ours += 50 * MINUTE_MS;
    clock.apple += 50 * MINUTE_MS;
  }
  assert.equal(countTokens(apple), 3);
  assert.deepEqual(listConnections(apple), [1]);
});

test("an iPhone without the app is gone as of the removal", async (t) => {
  const { apple, send } = await setUp(t);
  const iphone = new SimulatedIphone(apple);
  iphone.uninstall(NOW - 24 * 60 * MINUTE_MS);
  assert.deepEqual(await send(iphone), {
    kind: "gone",
    goneAt: NOW - 24 * 60 * MINUTE_MS,
    reason: { code: "device_gone", detail: "Apple answered 410 Unregistered" },
  });
});

test("a retry after a lost response replaces the first push", async (t) => {
  const { apple, send } = await setUp(t);
  const iphone = new SimulatedIphone(apple);
  await send(new SimulatedIphone(apple));
  iphone.script({ kind: "reset-connection", delivers: true });
  const lostOutcome = await send(iphone);
  assert.ok(lostOutcome.kind === "retry" && lostOutcome.isCounted);
  assert.equal(lostOutcome.reason.code, "ambiguous");
  assert.equal((await send(iphone)).kind, "accepted");
  assert.equal(iphone.messages.length, 2);
  assert.equal(iphone.shownMessages.length, 1);
  assert.equal(new Set(iphone.messages.map(({ push }) => push.apnsId)).size, 1);
});
