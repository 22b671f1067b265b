import assert from "node:assert/strict";
import { test } from "node:test";
import { PRIORITIES, type Priority } from "@tocsin/sdk";
import { createPushMessage } from "../../test/support/push-message.ts";
import { createHeaders } from "./apns/headers.ts";
import { buildPayload as buildApnsPayload } from "./apns/payload.ts";
import { buildRequest } from "./fcm/message.ts";
import type { Message } from "./provider.ts";
import { buildPayload as buildBrowserPayload } from "./webpush/payload.ts";

const address = { provider: "fcm", kind: "token", token: "t" } as const;
const baseUrl = "https://tocsin.example.com";

/** Returns the parts of each service's push that depend on the urgency of a message; absent ones are undefined. */
function buildUrgency(message: Message) {
  const apns = JSON.parse(buildApnsPayload(message)?.toString() ?? "");
  const headers = createHeaders({
    message,
    deviceToken: "00fc",
    topic: "org.example.app",
    authorization: "bearer a.b.c",
    now: 0,
  });
  const android = buildRequest({ message, address, now: 0 })?.message.android;
  const { notification } = JSON.parse(buildBrowserPayload({ message, baseUrl })?.toString() ?? "");
  return {
    apns: [
      apns.aps["interruption-level"],
      apns.aps["relevance-score"],
      apns.aps.sound,
      apns.priority,
      headers["apns-priority"],
    ],
    fcm: [android?.priority, android?.data.sound, android?.data.priority],
    webpush: [
      notification.silent,
      notification.requireInteraction,
      notification.data.sound,
      notification.data.renotify,
    ],
  };
}

/** The urgency of a message with the sound `arcade`, by its priority. */
const EXPECTED: Readonly<Record<Priority, ReturnType<typeof buildUrgency>>> = {
  low: {
    apns: ["passive", undefined, undefined, "low", "5"],
    fcm: ["NORMAL", undefined, "low"],
    webpush: [true, undefined, null, undefined],
  },
  normal: {
    apns: ["active", undefined, "arcade.caf", undefined, "10"],
    fcm: ["HIGH", "arcade", undefined],
    webpush: [false, undefined, "arcade", undefined],
  },
  high: {
    apns: ["active", 1, "arcade.caf", "high", "10"],
    fcm: ["HIGH", "arcade", "high"],
    webpush: [false, true, "arcade", undefined],
  },
  emergency: {
    apns: ["time-sensitive", 1, "arcade.caf", "emergency", "10"],
    fcm: ["HIGH", "arcade", "emergency"],
    webpush: [false, true, "arcade", 1],
  },
};

for (const priority of PRIORITIES) {
  test(`a message of priority ${priority} has its urgency at each push service`, () => {
    const message = createPushMessage({ priority, sound: "arcade" });
    assert.deepEqual(buildUrgency(message), EXPECTED[priority]);
  });

  test(`a time-sensitive message keeps its effect at priority ${priority}`, () => {
    const message = createPushMessage({ priority, sound: "arcade", timeSensitive: true });
    const { apns, fcm, webpush } = EXPECTED[priority];
    assert.deepEqual(buildUrgency(message), {
      apns: ["time-sensitive", 1, ...apns.slice(2)],
      fcm,
      webpush: [webpush[0], true, ...webpush.slice(2)],
    });
  });
}

test("an emergency without a sound plays the default one", () => {
  const { apns, fcm } = buildUrgency(createPushMessage({ priority: "emergency", sound: null }));
  assert.deepEqual([apns[2], fcm[1]], ["default", "default"]);
});
