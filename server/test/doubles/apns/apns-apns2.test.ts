import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { ApnsClient, ApnsError, Errors, Notification, Priority, PushType } from "apns2";
import { Pool } from "undici";
import { ApnsService, type ApnsServiceOptions } from "./apns-service.ts";
import { TEAM_ID, TOPIC } from "./set-up.ts";
import { generateProviderKey } from "./provider-key.ts";
import { SimulatedIphone } from "./simulated-iphone.ts";

/** Starts the service with the independent npm package apns2 as the sender. */
async function setUp(t: TestContext, options: Partial<ApnsServiceOptions> = {}) {
  const key = generateProviderKey();
  const service = await ApnsService.start({
    environment: "production",
    teamId: TEAM_ID,
    keys: [key],
    topics: [TOPIC],
    isTypAllowed: true,
    ...options,
  });
  const { keyId, privateKey: signingKey } = key;
  const client = new ApnsClient({ team: TEAM_ID, keyId, signingKey, defaultTopic: TOPIC });
  await client.client.close();
  // apns2 fixes port 443 and trusts only public certificates; all other options of its pool stay the same.
  const connect = { ca: service.ca };
  const pool = new Pool(service.origin, { connect, connections: 1, allowH2: true, pipelining: 1 });
  Object.assign(client, { client: pool });
  t.after(async () => {
    await client.destroy();
    await service.close();
  });
  const expectRefusal = async (notification: Notification): Promise<ApnsError> => {
    const error: unknown = await client.send(notification).catch((cause: unknown) => cause);
    assert.ok(error instanceof ApnsError);
    return error;
  };
  return { service, iphone: new SimulatedIphone(service), client, expectRefusal };
}

/** 2027-01-01T00:00:00Z, in seconds since the epoch. */
const NEW_YEAR_S = 1_798_761_600;

test("a push of apns2 arrives with every field unchanged", async (t) => {
  const { iphone, client } = await setUp(t);
  await client.send(
    new Notification(iphone.token, {
      alert: { title: "Füße", subtitle: "🦊", body: "World" },
      sound: "arcade.caf",
      threadId: "news",
      mutableContent: true,
      collapseId: "ntf_1",
      priority: Priority.throttled,
      expiration: NEW_YEAR_S,
      data: { link: "https://example.org/" },
      aps: { "interruption-level": "time-sensitive", "relevance-score": 0.5 },
    }),
  );
  const { push, ...message } = await iphone.next();
  assert.deepEqual(message, {
    title: "Füße",
    subtitle: "🦊",
    body: "World",
    sound: "arcade.caf",
    threadId: "news",
    interruptionLevel: "time-sensitive",
    relevanceScore: 0.5,
    isMutable: true,
    custom: { link: "https://example.org/" },
  });
  const { topic, pushType, priority, expiresAtS, collapseId } = push;
  assert.deepEqual(
    { topic, pushType, priority, expiresAtS, collapseId },
    {
      topic: TOPIC,
      pushType: PushType.alert,
      priority: 5,
      expiresAtS: NEW_YEAR_S,
      collapseId: "ntf_1",
    },
  );
});

test("apns2 reports each refusal with its reason and status", async (t) => {
  const { iphone, expectRefusal } = await setUp(t);
  const hello = { alert: "Hello" };
  const cases: readonly (readonly [Notification, string, number])[] = [
    [new Notification("0a".repeat(32), hello), Errors.badDeviceToken, 400],
    [new Notification(iphone.token, { ...hello, topic: "x" }), Errors.badTopic, 400],
    [
      new Notification(iphone.token, { ...hello, collapseId: "x".repeat(65) }),
      Errors.badCollapseId,
      400,
    ],
    [new Notification(iphone.token, { alert: "x".repeat(4_096) }), Errors.payloadTooLarge, 413],
  ];
  for (const [notification, reason, status] of cases) {
    const error = await expectRefusal(notification);
    assert.deepEqual([error.reason, error.statusCode], [reason, status]);
  }
  iphone.script({ kind: "answer", status: 429, reason: "TooManyRequests" });
  const throttledError = await expectRefusal(new Notification(iphone.token, hello));
  assert.deepEqual(
    [throttledError.reason, throttledError.statusCode],
    [Errors.tooManyRequests, 429],
  );
  const uninstalledAtMs = NEW_YEAR_S * 1000 + 123;
  iphone.uninstall(uninstalledAtMs);
  const unregistered = await expectRefusal(new Notification(iphone.token, hello));
  assert.deepEqual(
    [unregistered.reason, unregistered.statusCode, unregistered.timestamp],
    [Errors.unregistered, 410, uninstalledAtMs],
  );
});

const TOKEN_AGE_MAX_MS = 3_600_000;

test("apns2 reports invalid credentials", async (t) => {
  // A provider token is valid for an hour.
  const serviceAhead = await setUp(t, { now: () => Date.now() + TOKEN_AGE_MAX_MS + 60_000 });
  const createHello = (iphone: SimulatedIphone) =>
    new Notification(iphone.token, { alert: "Hello" });
  const expired = await serviceAhead.expectRefusal(createHello(serviceAhead.iphone));
  assert.deepEqual([expired.reason, expired.statusCode], [Errors.expiredProviderToken, 403]);
  // apns2 sends `typ`, which Apple does not require.
  const strictSetUp = await setUp(t, { isTypAllowed: false });
  const refusal = await strictSetUp.expectRefusal(createHello(strictSetUp.iphone));
  assert.equal(refusal.reason, Errors.invalidProviderToken);
});

test("apns2 sends 200 pushes through a cold connection", async (t) => {
  const { service, iphone, client } = await setUp(t);
  const pushes = Array.from(
    { length: 200 },
    (_value, index) => new Notification(iphone.token, { alert: String(index) }),
  );
  await client.sendMany(pushes);
  assert.equal(new Set(iphone.messages.map(({ body }) => body)).size, 200);
  assert.equal(service.delivered.length, 200);
});
