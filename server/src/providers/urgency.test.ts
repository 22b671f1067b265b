import assert from "node:assert/strict";
import { test } from "node:test";
import { PRIORITIES, type Cause, type Priority } from "@tocsin/sdk";
import { toMessageInteraction } from "#delivery/attempt/message-interaction.ts";
import { createPushMessage } from "../../test/support/push-message.ts";
import { buildUrgency, type Urgency } from "../../test/support/push-urgency.ts";
import type { Message } from "./provider.ts";

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
function toRepeatedSound(urgency: Urgency): Urgency {
  if (urgency.webpush[0]) return urgency;
  const [level, relevance, sound, priority, , header] = urgency.apns;
  return {
    apns: [level, relevance, sound, priority, 1, header],
    fcm: [urgency.fcm[0], urgency.fcm[1], urgency.fcm[2], "1"],
    webpush: [urgency.webpush[0], urgency.webpush[1], urgency.webpush[2], 1],
  };
}

/**
 * Returns the urgency of a message that sounds only if it replaces none. The push to an iPhone has no sound, because an
 * iPhone would play the sound of each update.
 */
function toFirstSoundOnly(urgency: Urgency): Urgency {
  const [level, relevance, , priority, , header] = urgency.apns;
  return {
    apns: [level, relevance, undefined, priority, undefined, header],
    fcm: [urgency.fcm[0], urgency.fcm[1], urgency.fcm[2], undefined],
    webpush: [urgency.webpush[0], urgency.webpush[1], urgency.webpush[2], undefined],
  };
}

/** Returns the urgency of a message that replaces an earlier one without a sound. Its priority stays the same. */
function toSilentReplacement(urgency: Urgency): Urgency {
  const [, , , priority, , header] = urgency.apns;
  return {
    apns: ["passive", undefined, undefined, priority, undefined, header],
    fcm: [urgency.fcm[0], undefined, urgency.fcm[2], undefined],
    webpush: [true, undefined, null, undefined],
  };
}

const BY_CAUSE: Readonly<Record<Cause, (urgency: Urgency) => Urgency>> = {
  trigger: toRepeatedSound,
  ring: toRepeatedSound,
  step: toRepeatedSound,
  reminder: toRepeatedSound,
  update: toFirstSoundOnly,
  digest: (urgency) => urgency,
  prompt: (urgency) => urgency,
  acknowledgement: toSilentReplacement,
  resolution: toSilentReplacement,
  answer: toSilentReplacement,
};
const CAUSES = Object.keys(BY_CAUSE) as readonly Cause[]; // The record has every cause.

function createInteractionMessage(cause: Cause, overrides: Partial<Message>): Message {
  const interaction = toMessageInteraction({
    incidentId: "inc-1",
    promptId: null,
    cause,
    actions: [["ack", "Acknowledge"]],
    allowsText: false,
    isQuiet: false,
  });
  return createPushMessage({ sound: "arcade", interaction, ...overrides });
}

for (const priority of PRIORITIES) {
  test(`a plain message of priority ${priority} has its urgency at each push service`, () => {
    const message = createPushMessage({ priority, sound: "arcade" });
    assert.deepEqual(buildUrgency(message), PLAIN[priority]);
  });

  test(`a time-sensitive message of priority ${priority} is shown as time-sensitive`, () => {
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
      assert.deepEqual(buildUrgency(createInteractionMessage(cause, { priority })), expected);
    });
  }
}

test("an emergency without a sound plays the default one", () => {
  const { apns, fcm } = buildUrgency(createPushMessage({ priority: "emergency", sound: null }));
  assert.deepEqual([apns[2], fcm[1]], ["default", "default"]);
});

test("a quiet update has the urgency of an acknowledgement", () => {
  for (const priority of PRIORITIES) {
    const interaction = toMessageInteraction({
      incidentId: "inc-1",
      promptId: null,
      cause: "update",
      actions: [],
      allowsText: false,
      isQuiet: true,
    });
    const message = createPushMessage({ sound: "arcade", priority, interaction });
    assert.deepEqual(buildUrgency(message), toSilentReplacement(PLAIN[priority]));
  }
});

test("a time-sensitive acknowledgement is quiet", () => {
  const message = createInteractionMessage("acknowledgement", { timeSensitive: true });
  assert.deepEqual(buildUrgency(message), toSilentReplacement(PLAIN.normal));
});
