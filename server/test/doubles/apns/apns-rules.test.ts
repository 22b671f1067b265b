import assert from "node:assert/strict";
import { constants, sensitiveHeaders } from "node:http2";
import { test, type TestContext } from "node:test";
import { ALERT, OTHER_TOPIC, TOPIC, setUp, type PushOverrides } from "./set-up.ts";
import { SimulatedIphone } from "./simulated-iphone.ts";

type Case = readonly [name: string, push: PushOverrides, verdict: string];

const BAD_EXPIRATION = "400 BadExpirationDate";
const BAD_COLLAPSE_ID = "400 BadCollapseId";
const UUID = "0190a6b2-7c1e-7a3b-9f00-0123456789ab";

async function assertVerdicts(t: TestContext, cases: readonly Case[]): Promise<void> {
  const { sendForVerdict } = await setUp(t);
  for (const [name, push, verdict] of cases) {
    assert.equal(await sendForVerdict(push), verdict, name);
  }
}

const header = (name: string, value: string | string[] | undefined): PushOverrides => ({
  headers: { [name]: value },
});

test("a wrong method or path is refused", async (t) => {
  const { iphone, sendForVerdict } = await setUp(t);
  const path = `/3/device/${iphone.token}`;
  const cases: readonly (readonly [string, PushOverrides, string])[] = [
    ["PUT", header(":method", "PUT"), "405 MethodNotAllowed"],
    ["version 4", header(":path", path.replace("3", "4")), "404 BadPath"],
    ["a path further down", header(":path", `${path}/x`), "404 BadPath"],
    ["a query", header(":path", `${path}?x`), "404 BadPath"],
    ["no segment for a token", header(":path", "/3/device"), "404 BadPath"],
    ["no token", header(":path", "/3/device/"), "400 MissingDeviceToken"],
    ["an upper-case token", header(":path", `/3/device/${iphone.token.toUpperCase()}`), "200"],
    ["an unknown token", header(":path", `/3/device/${"0a".repeat(32)}`), "400 BadDeviceToken"],
    ["a token that is not hexadecimal", header(":path", "/3/device/xyz"), "400 BadDeviceToken"],
  ];
  for (const [name, push, verdict] of cases)
    assert.equal(await sendForVerdict(push), verdict, name);
});

test("every header must have Apple's form", async (t) => {
  await assertVerdicts(t, [
    ["no topic", header("apns-topic", undefined), "400 MissingTopic"],
    ["an empty topic", header("apns-topic", ""), "400 MissingTopic"],
    ["an unknown topic", header("apns-topic", "org.example.nobody"), "400 BadTopic"],
    ["another app's topic", header("apns-topic", OTHER_TOPIC), "400 DeviceTokenNotForTopic"],
    ["no push type", header("apns-push-type", undefined), "400 InvalidPushType"],
    ["an unknown push type", header("apns-push-type", "Alert"), "400 InvalidPushType"],
    ["priority 1", header("apns-priority", "1"), "200"],
    ["priority 5", header("apns-priority", "5"), "200"],
    ["priority 10", header("apns-priority", "10"), "200"],
    ["priority 7", header("apns-priority", "7"), "400 BadPriority"],
    ["priority high", header("apns-priority", "high"), "400 BadPriority"],
    ["expiration 0", header("apns-expiration", "0"), "200"],
    ["an expiration in seconds", header("apns-expiration", "1798761600"), "200"],
    ["an expiration in milliseconds", header("apns-expiration", "1798761600000"), BAD_EXPIRATION],
    ["a fractional expiration", header("apns-expiration", "1.5"), BAD_EXPIRATION],
    ["a negative expiration", header("apns-expiration", "-1"), BAD_EXPIRATION],
    ["a collapse id of 64 bytes", header("apns-collapse-id", "x".repeat(64)), "200"],
    ["a collapse id of 65 bytes", header("apns-collapse-id", "x".repeat(65)), BAD_COLLAPSE_ID],
    [
      "a collapse id of 33 characters and 66 bytes",
      header("apns-collapse-id", encodeUtf8Header("ü".repeat(33))),
      BAD_COLLAPSE_ID,
    ],
    ["an empty collapse id", header("apns-collapse-id", ""), BAD_COLLAPSE_ID],
    ["a UUID", header("apns-id", UUID), "200"],
    ["an upper-case UUID", header("apns-id", UUID.toUpperCase()), "200"],
    ["a UUID without hyphens", header("apns-id", UUID.replaceAll("-", "")), "400 BadMessageId"],
    ["another id", header("apns-id", "ntf_1"), "400 BadMessageId"],
    ["a header sent twice", header("apns-id", [UUID, UUID]), "400 DuplicateHeaders"],
  ]);
});

/** Returns a header value that arrives as the text in UTF-8: Node writes one byte per character of a header. */
function encodeUtf8Header(text: string): string {
  return Buffer.from(text).toString("latin1");
}

const body = (aps: Readonly<Record<string, unknown>>): PushOverrides => ({
  body: JSON.stringify({ aps }),
});

test("a body must be a valid alert or background payload", async (t) => {
  await assertVerdicts(t, [
    ["no body", { body: "" }, "400 PayloadEmpty"],
    ["4096 bytes", { body: createPaddedAlert(4_096) }, "200"],
    ["4097 bytes", { body: createPaddedAlert(4_097) }, "413 PayloadTooLarge"],
    ["100 KB", { body: createPaddedAlert(100_000) }, "413 PayloadTooLarge"],
    ["invalid JSON", { body: "{" }, BAD_PAYLOAD],
    ["broken UTF-8", { body: Buffer.from(ALERT.replace("World", "ü"), "latin1") }, BAD_PAYLOAD],
    ["an array", { body: "[]" }, BAD_PAYLOAD],
    ["no aps", { body: JSON.stringify({ alert: "x" }) }, BAD_PAYLOAD],
    ["aps as text", { body: JSON.stringify({ aps: "x" }) }, BAD_PAYLOAD],
    ["nothing to show", body({ "thread-id": "x" }), BAD_PAYLOAD],
    ["alert as text", body({ alert: "x" }), "200"],
    ["sound alone", body({ sound: "arcade.caf" }), "200"],
    ["alert as array", body({ alert: [] }), BAD_PAYLOAD],
    ["a title as number", body({ alert: { title: 1 } }), BAD_PAYLOAD],
    ["a misspelled part of alert", body({ alert: { title: "x", text: "x" } }), BAD_PAYLOAD],
    ["a misspelled key", body({ alert: "x", threadId: "x" }), BAD_PAYLOAD],
    ["a sound that is null", body({ alert: "x", sound: null }), BAD_PAYLOAD],
    ["every field", body(FULL_APS), "200"],
    [
      "an unknown interruption level",
      body({ ...FULL_APS, "interruption-level": "urgent" }),
      BAD_PAYLOAD,
    ],
    ["relevance 1.1", body({ ...FULL_APS, "relevance-score": 1.1 }), BAD_PAYLOAD],
    ["mutable-content true", body({ ...FULL_APS, "mutable-content": true }), BAD_PAYLOAD],
    ["mutable-content without an alert", body({ sound: "x", "mutable-content": 1 }), BAD_PAYLOAD],
    ["a silent push as alert", body({ "content-available": 1 }), BAD_PAYLOAD],
    ["a silent push", createBackgroundPush({ "content-available": 1 }), "200"],
    [
      "a silent push at priority 10",
      createBackgroundPush({ "content-available": 1 }, "10"),
      "400 BadPriority",
    ],
    [
      "a silent push that sounds",
      createBackgroundPush({ "content-available": 1, sound: "x" }),
      BAD_PAYLOAD,
    ],
    ["a silent push of nothing", createBackgroundPush({}), BAD_PAYLOAD],
  ]);
});

const BAD_PAYLOAD = "400 BadRequestPayload";

const FULL_APS = {
  alert: { title: "a", subtitle: "b", body: "c" },
  sound: "default",
  badge: 0,
  category: "x",
  "thread-id": "x",
  "interruption-level": "time-sensitive",
  "relevance-score": 0.5,
  "mutable-content": 1,
};

function createBackgroundPush(
  aps: Readonly<Record<string, unknown>>,
  priority = "5",
): PushOverrides {
  const headers = { "apns-push-type": "background", "apns-priority": priority };
  return { ...body(aps), headers };
}

function createPaddedAlert(bytes: number): string {
  const start = ALERT.slice(0, -1);
  const frame = `${start},"x":""}`.length;
  return `${start},"x":"${"x".repeat(bytes - frame)}"}`;
}

test("a token is unknown in the other environment", async (t) => {
  const { sendForVerdict } = await setUp(t);
  const sandbox = await setUp(t, { environment: "sandbox" });
  const path = `/3/device/${sandbox.iphone.token}`;
  assert.equal(await sendForVerdict(header(":path", path)), "400 BadDeviceToken");
  assert.equal(await sandbox.sendForVerdict(header(":path", path)), "200");
});

test("a response has the message's id, and a 410 the time of the removal", async (t) => {
  const { iphone, connect, send } = await setUp(t);
  const sender = await connect();
  const accepted = await send(sender, header("apns-id", UUID));
  assert.deepEqual([accepted.status, accepted.headers["apns-id"], accepted.body], [200, UUID, ""]);
  assert.equal(accepted.headers["apns-unique-id"], undefined);
  for (const apnsId of [undefined, "ntf_1"]) {
    const { headers } = await send(sender, header("apns-id", apnsId));
    assert.match(String(headers["apns-id"]), /^[\dA-F]{8}(?:-[\dA-F]{4}){3}-[\dA-F]{12}$/u);
  }
  iphone.uninstall(1_798_761_600_123);
  const unregistered = await send(sender, header("apns-id", UUID.toUpperCase()));
  assert.equal(unregistered.status, constants.HTTP_STATUS_GONE);
  assert.equal(unregistered.headers["apns-id"], UUID.toUpperCase());
  assert.equal(unregistered.body, '{"reason":"Unregistered","timestamp":1798761600123}');
  assert.equal(iphone.messages.length, 2);
  assert.equal(iphone.requests.length, 4);
});

test("only the development environment gives a push a unique id", async (t) => {
  const { connect, send } = await setUp(t, { environment: "sandbox" });
  const response = await send(await connect());
  assert.match(String(response.headers["apns-unique-id"]), /^[\da-f-]{36}$/u);
});

test("the service records which header fields were never indexed", async (t) => {
  const { service, connect, send } = await setUp(t);
  const sender = await connect();
  await send(sender, { headers: { [sensitiveHeaders]: ["apns-id"], "apns-id": UUID } });
  await send(sender, header("apns-id", UUID));
  // Node never indexes credentials.
  assert.deepEqual(
    service.requests.map(({ neverIndexed }) => neverIndexed.toSorted()),
    [["apns-id", "authorization"], ["authorization"]],
  );
});

test("a push with the same collapse id replaces the earlier one on the iPhone", async (t) => {
  const { service, connect, send } = await setUp(t);
  const iphone = new SimulatedIphone(service, TOPIC);
  const sender = await connect();
  const sendTitle = (title: string, collapseId?: string) =>
    send(sender, {
      headers: { ":path": `/3/device/${iphone.token}`, "apns-collapse-id": collapseId },
      body: JSON.stringify({ aps: { ...FULL_APS, alert: { title } }, id: title }),
    });
  await sendTitle("one", "a");
  await sendTitle("two");
  await sendTitle("three", "b");
  await sendTitle("four", "a");
  const { push, ...message } = await iphone.next();
  assert.deepEqual(message, {
    title: "one",
    subtitle: null,
    body: null,
    sound: "default",
    threadId: "x",
    interruptionLevel: "time-sensitive",
    relevanceScore: 0.5,
    isMutable: true,
    custom: { id: "one" },
  });
  assert.deepEqual([push.collapseId, push.priority, push.expiresAtS], ["a", 10, null]);
  assert.deepEqual(
    iphone.shownMessages.map(({ title }) => title),
    ["two", "three", "four"],
  );
  assert.equal(iphone.messages.length, 4);
});
