import assert from "node:assert/strict";
import { test } from "node:test";
import { toMessageInteraction } from "#delivery/attempt/message-interaction.ts";
import type { Interaction } from "#delivery/delivery.ts";
import { checkPayload } from "../../test/doubles/apns/apns-payload-rules.ts";
import { findDeclarativeFault } from "../../test/doubles/find-declarative-fault.ts";
import { validateMessage } from "../../test/doubles/fcm/fcm-message-rules.ts";
import { createPushMessage } from "../../test/support/push-message.ts";
import { createHeaders } from "./apns/headers.ts";
import { buildPayload as buildApnsPayload } from "./apns/payload.ts";
import { buildRequest } from "./fcm/message.ts";
import { getCollapseId } from "./presentation.ts";
import type { Message } from "./provider.ts";
import { buildPayload as buildBrowserPayload } from "./webpush/payload.ts";

const INCIDENT: Interaction = {
  incidentId: "inc-1",
  promptId: null,
  cause: "ring",
  actions: [
    ["ack", "Acknowledge"],
    ["pass", "Pass on"],
  ],
  allowsText: false,
  isQuiet: false,
};
const PROMPT: Interaction = {
  incidentId: null,
  promptId: "prm-1",
  cause: "prompt",
  actions: [
    ["0", "Ja, „sofort“"],
    ["1", "no"],
  ],
  allowsText: true,
  isQuiet: false,
};

function createMessage(interaction: Interaction, overrides: Partial<Message> = {}): Message {
  return createPushMessage({ interaction: toMessageInteraction(interaction), ...overrides });
}

function buildApns(message: Message) {
  const payload = buildApnsPayload(message) ?? assert.fail();
  assert.equal(checkPayload(payload, "alert"), null);
  return JSON.parse(payload.toString());
}

function buildFcmData(message: Message): Readonly<Record<string, string>> {
  const token = `dQw4w9WgXcQ_-abcDEF123:APA91b${"x".repeat(134)}`;
  const address = { provider: "fcm", kind: "token", token } as const;
  const request = buildRequest({ message, address, now: message.createdAt }) ?? assert.fail();
  const verdict = validateMessage(JSON.stringify(request), "application/json");
  return verdict.kind === "well-formed" ? verdict.message.data : assert.fail();
}

function buildNotification(message: Message) {
  const payload = buildBrowserPayload({ message, baseUrl: "https://tocsin.example.com" });
  const text = payload?.toString() ?? "";
  assert.equal(findDeclarativeFault(text), null);
  return JSON.parse(text).notification;
}

/** Returns the members of an object that a plain message lacks. */
function findAddedMembers(members: object, plainMembers: object): object {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !(name in plainMembers)));
}

test("a push of an incident carries its keys at each push service", () => {
  const message = createMessage(INCIDENT);
  const plain = createPushMessage();
  const keys = { incident: "inc-1", cause: "ring", actions: INCIDENT.actions, renotify: 1 };
  const apns = buildApns(message);
  const plainApns = buildApns(plain);
  assert.deepEqual(findAddedMembers(apns, plainApns), keys);
  const apsKeys = { category: "TOCSIN_INCIDENT", "mutable-content": 1 };
  assert.deepEqual(findAddedMembers(apns.aps, plainApns.aps), apsKeys);
  assert.deepEqual(findAddedMembers(buildFcmData(message), buildFcmData(plain)), {
    incident: "inc-1",
    cause: "ring",
    actions: '[["ack","Acknowledge"],["pass","Pass on"]]',
    renotify: "1",
    tag: "inc-1",
  });
  const notification = buildNotification(message);
  assert.deepEqual(findAddedMembers(notification.data, buildNotification(plain).data), keys);
});

test("a push of a prompt that takes a text says so at each push service", () => {
  const message = createMessage(PROMPT);
  const plain = createPushMessage();
  const keys = { prompt: "prm-1", cause: "prompt", actions: PROMPT.actions, text: 1 };
  const apns = buildApns(message);
  assert.deepEqual(findAddedMembers(apns, buildApns(plain)), keys);
  assert.equal(apns.aps.category, "TOCSIN_PROMPT_TEXT");
  const data = buildFcmData(message);
  assert.deepEqual([data["prompt"], data["text"], data["tag"]], ["prm-1", "1", "prm-1"]);
  assert.deepEqual(JSON.parse(data["actions"] ?? ""), PROMPT.actions);
  const { data: browserData } = buildNotification(message);
  assert.deepEqual(findAddedMembers(browserData, buildNotification(plain).data), keys);
});

test("a push has the category of its buttons, or none without a button or a text answer", () => {
  const categories = [
    INCIDENT,
    PROMPT,
    { ...PROMPT, allowsText: false },
    { ...PROMPT, actions: [] },
    { ...PROMPT, incidentId: "inc-1" },
    { ...INCIDENT, actions: [] },
  ].map((interaction) => buildApns(createMessage(interaction)).aps.category);
  assert.deepEqual(categories, [
    "TOCSIN_INCIDENT",
    "TOCSIN_PROMPT_TEXT",
    "TOCSIN_PROMPT",
    "TOCSIN_PROMPT_TEXT",
    "TOCSIN_PROMPT_TEXT",
    undefined,
  ]);
});

test("a push replaces the earlier pushes of its incident or prompt, and keeps its own id and page", () => {
  const cases = [
    [null, "n-1"],
    [INCIDENT, "inc-1"],
    [PROMPT, "prm-1"],
    [{ ...PROMPT, incidentId: "inc-1" }, "inc-1"],
  ] as const;
  for (const [interaction, collapseId] of cases) {
    const message = createPushMessage({
      notificationId: "n-1",
      interaction: interaction === null ? null : toMessageInteraction(interaction),
    });
    assert.equal(getCollapseId(message), collapseId);
    const headers = createHeaders({
      message,
      deviceToken: "00fc",
      topic: "org.example.app",
      authorization: "bearer a.b.c",
      now: 0,
    });
    assert.equal(headers["apns-collapse-id"], collapseId);
    const fcmData = buildFcmData(message);
    assert.deepEqual([fcmData["id"], fcmData["tag"] ?? "n-1"], ["n-1", collapseId]);
    const { tag, navigate, data } = buildNotification(message);
    const expected = [collapseId, "https://tocsin.example.com/n/n-1", "n-1"];
    assert.deepEqual([tag, navigate, data.id], expected);
    assert.equal(buildApns(message).id, "n-1");
  }
});

test("pushes of one incident have different ids at Apple", () => {
  const ids = ["n-1", "n-2"].map((notificationId) => {
    const message = createMessage(INCIDENT, { notificationId });
    const input = { message, deviceToken: "00fc", topic: "a", authorization: "b", now: 0 };
    return createHeaders(input)["apns-id"];
  });
  assert.notEqual(ids[0], ids[1]);
});

test("a push that is too large loses its body, but keeps every key of its prompt", () => {
  const interaction: Interaction = {
    ...PROMPT,
    incidentId: "0190a6b2-7c1e-7a3b-9f00-0123456789ab",
    promptId: "0190a6b2-7c1e-7a3b-9f00-0123456789ac",
    actions: Array.from({ length: 6 }, (_, index) => [String(index), "🔔".repeat(40)] as const),
  };
  const message = createMessage(interaction, {
    title: "€".repeat(1_024),
    body: "€".repeat(32_768),
    link: `https://example.org/${"l".repeat(2_028)}`,
  });
  const keys = {
    prompt: interaction.promptId,
    incident: interaction.incidentId,
    cause: "prompt",
    text: 1,
  };
  const { data, body } = buildNotification(message);
  assert.equal(body, "");
  for (const payload of [data, buildApns(message)]) {
    assert.deepEqual({ ...payload, ...keys, actions: interaction.actions }, payload);
    assert.deepEqual([payload.link, payload.truncated], [message.link, 1]);
  }
  const fcmData = buildFcmData(message);
  assert.deepEqual(JSON.parse(fcmData["actions"] ?? ""), interaction.actions);
  assert.deepEqual([fcmData["link"], fcmData["truncated"]], [message.link, "1"]);
});
