import assert from "node:assert/strict";
import { test } from "node:test";
import { PRIORITIES, type Cause, type Priority } from "@tocsin/sdk";
import { toMessageActing } from "#delivery/attempt/message-acting.ts";
import { checkPayload } from "../../test/doubles/apns/apns-payload-rules.ts";
import { findDeclarativeFault } from "../../test/doubles/declarative-rules.ts";
import { validateMessage } from "../../test/doubles/fcm/fcm-message-rules.ts";
import { createPushMessage } from "../../test/support/push-message.ts";
import { createHeaders } from "./apns/headers.ts";
import { buildPayload as buildApnsPayload } from "./apns/payload.ts";
import { buildRequest } from "./fcm/message.ts";
import type { Message } from "./provider.ts";
import { buildPayload as buildBrowserPayload } from "./webpush/payload.ts";

const token = `dQw4w9WgXcQ_-abcDEF123:APA91b${"x".repeat(134)}`;
const address = { provider: "fcm", kind: "token", token } as const;
const baseUrl = "https://tocsin.example.com";

/** The parts of each service's push that depend on the urgency of a message; absent ones are undefined. */
interface Urgency {
  readonly apns: readonly [
    level: string,
    relevance: 1 | undefined,
    sound: string | undefined,
    priority: string | undefined,
    renotify: 1 | undefined,
    header: string,
  ];
  readonly fcm: readonly [
    androidPriority: string,
    sound: string | undefined,
    priority: string | undefined,
    renotify: "1" | undefined,
  ];
  readonly webpush: readonly [
    silent: boolean,
    requireInteraction: true | undefined,
    sound: string | null,
    renotify: 1 | undefined,
  ];
}

/** Returns the urgency that the pushes of a message have. Fails if a push service would refuse one of them. */
function buildUrgency(message: Message): Urgency {
  return { apns: buildApns(message), fcm: buildFcm(message), webpush: buildWebPush(message) };
}

function buildApns(message: Message): Urgency["apns"] {
  const payload = buildApnsPayload(message) ?? assert.fail();
  assert.equal(checkPayload(payload, "alert"), null);
  const { aps, priority, renotify } = JSON.parse(payload.toString());
  const headers = createHeaders({
    message,
    deviceToken: "00fc",
    topic: "org.example.app",
    authorization: "bearer a.b.c",
    now: 0,
  });
  const [level, relevance] = [aps["interruption-level"], aps["relevance-score"]];
  return [level, relevance, aps.sound, priority, renotify, headers["apns-priority"] ?? ""];
}

function buildFcm(message: Message): Urgency["fcm"] {
  const request = buildRequest({ message, address, now: message.createdAt }) ?? assert.fail();
  const verdict = validateMessage(JSON.stringify(request), "application/json");
  assert.equal(verdict.kind, "well-formed");
  const { priority, data } = request.message.android;
  return [priority, data.sound, data.priority, data.renotify];
}

function buildWebPush(message: Message): Urgency["webpush"] {
  const text = buildBrowserPayload({ message, baseUrl })?.toString() ?? "";
  assert.equal(findDeclarativeFault(text), null);
  const { silent, requireInteraction, data } = JSON.parse(text).notification;
  return [silent, requireInteraction, data.sound, data.renotify];
}

/** The urgency of a plain message with the sound `arcade`. */
const PLAIN: Readonly<Record<Priority, Urgency>> = {
  low: {
    apns: ["passive", undefined, undefined, "low", undefined, "5"],
    fcm: ["NORMAL", undefined, "low", undefined],
    webpush: [true, undefined, null, undefined],
  },
  normal: {
    apns: ["active", undefined, "arcade.caf", undefined, undefined, "10"],
    fcm: ["HIGH", "arcade", undefined, undefined],
    webpush: [false, undefined, "arcade", undefined],
  },
  high: {
    apns: ["active", 1, "arcade.caf", "high", undefined, "10"],
    fcm: ["HIGH", "arcade", "high", undefined],
    webpush: [false, true, "arcade", undefined],
  },
  emergency: {
    apns: ["time-sensitive", 1, "arcade.caf", "emergency", 1, "10"],
    fcm: ["HIGH", "arcade", "emergency", "1"],
    webpush: [false, true, "arcade", 1],
  },
};

/** Returns the urgency of a message that sounds even if it replaces an earlier one. */
function toAgain(urgency: Urgency): Urgency {
  if (urgency.webpush[0]) return urgency;
  const [level, relevance, sound, priority, , header] = urgency.apns;
  return {
    apns: [level, relevance, sound, priority, 1, header],
    fcm: [urgency.fcm[0], urgency.fcm[1], urgency.fcm[2], "1"],
    webpush: [urgency.webpush[0], urgency.webpush[1], urgency.webpush[2], 1],
  };
}

/** Returns the urgency of a message that sounds only if it replaces none. Apple would play a sound each time. */
function toOnce(urgency: Urgency): Urgency {
  const [level, relevance, , priority, , header] = urgency.apns;
  return {
    apns: [level, relevance, undefined, priority, undefined, header],
    fcm: [urgency.fcm[0], urgency.fcm[1], urgency.fcm[2], undefined],
    webpush: [urgency.webpush[0], urgency.webpush[1], urgency.webpush[2], undefined],
  };
}

/** Returns the urgency of a message that replaces an earlier one without a sound, as fast as that one. */
function toQuiet(urgency: Urgency): Urgency {
  const [, , , priority, , header] = urgency.apns;
  return {
    apns: ["passive", undefined, undefined, priority, undefined, header],
    fcm: [urgency.fcm[0], undefined, urgency.fcm[2], undefined],
    webpush: [true, undefined, null, undefined],
  };
}

const BY_CAUSE: Readonly<Record<Cause, (urgency: Urgency) => Urgency>> = {
  trigger: toAgain,
  ring: toAgain,
  step: toAgain,
  reminder: toAgain,
  update: toOnce,
  digest: (urgency) => urgency,
  prompt: (urgency) => urgency,
  acknowledgement: toQuiet,
  resolution: toQuiet,
  answer: toQuiet,
};
const CAUSES = Object.keys(BY_CAUSE) as readonly Cause[]; // Has every cause.

function createActingMessage(cause: Cause, overrides: Partial<Message>): Message {
  const acting = toMessageActing({
    incidentId: "inc-1",
    promptId: null,
    cause,
    actions: [["ack", "Acknowledge"]],
    allowsText: false,
  });
  return createPushMessage({ sound: "arcade", acting, ...overrides });
}

for (const priority of PRIORITIES) {
  test(`a plain message of priority ${priority} has its urgency at each push service`, () => {
    const message = createPushMessage({ priority, sound: "arcade" });
    assert.deepEqual(buildUrgency(message), PLAIN[priority]);
  });

  test(`a time-sensitive message keeps its effect at priority ${priority}`, () => {
    const message = createPushMessage({ priority, sound: "arcade", timeSensitive: true });
    const { apns, fcm, webpush } = PLAIN[priority];
    assert.deepEqual(buildUrgency(message), {
      apns: ["time-sensitive", 1, ...apns.slice(2)],
      fcm,
      webpush: [webpush[0], true, ...webpush.slice(2)],
    });
  });

  for (const cause of CAUSES) {
    test(`a push of priority ${priority} with the cause ${cause} has its urgency at each push service`, () => {
      const expected = BY_CAUSE[cause](PLAIN[priority]);
      assert.deepEqual(buildUrgency(createActingMessage(cause, { priority })), expected);
    });
  }
}

test("an emergency without a sound plays the default one", () => {
  const { apns, fcm } = buildUrgency(createPushMessage({ priority: "emergency", sound: null }));
  assert.deepEqual([apns[2], fcm[1]], ["default", "default"]);
});

test("a time-sensitive acknowledgement is quiet", () => {
  const timeSensitive = createActingMessage("acknowledgement", { timeSensitive: true });
  assert.deepEqual(buildUrgency(timeSensitive), toQuiet(PLAIN.normal));
});
