import assert from "node:assert/strict";
import { test } from "node:test";
import { CONTENT_FIELDS, type ContentField, type NotificationContent } from "@tocsin/sdk";
import { findDeclarativeFault } from "../../test/doubles/find-declarative-fault.ts";
import { createPushMessage } from "../../test/support/push-message.ts";
import { buildPayload as buildApnsPayload } from "./apns/payload.ts";
import { buildRequest } from "./fcm/message.ts";
import { cachePerMessage } from "./fit.ts";
import type { Message, MessageInteraction, PushProviderName } from "./provider.ts";
import { buildPayload, buildShortPayload } from "./webpush/payload.ts";

const baseUrl = "https://tocsin.example.com";
const address = { provider: "fcm", kind: "token", token: "t" } as const;

/** Functions that return the JSON with a message's fields for each push service, or null if the message is too large. */
const BUILDERS: Readonly<Record<PushProviderName, (message: Message) => string | null>> = {
  apns: (message) => buildApnsPayload(message)?.toString() ?? null,
  fcm: (message) => {
    const request = buildRequest({ message, address, now: 0 });
    return request === null ? null : JSON.stringify(request.message.android.data);
  },
  webpush: (message) => buildPayload({ message, baseUrl })?.toString() ?? null,
};

/** Every field at its maximum length, in three-byte characters if the field allows them. */
const LONGEST = Object.fromEntries(
  Object.entries(CONTENT_FIELDS).map(([name, field]) => [name, createLongestValue(field)]),
) as unknown as NotificationContent; // The entries cover every field.

/** A prompt with the most and longest choices, also in three-byte characters. */
const LONGEST_INTERACTION: MessageInteraction = {
  incidentId: "i".repeat(36),
  promptId: "p".repeat(36),
  cause: "acknowledgement",
  actions: Array.from({ length: 6 }, (_, index) => [String(index), "€".repeat(40)] as const),
  allowsText: true,
  alert: "again",
};

function createLongestValue(field: ContentField): string | boolean {
  switch (field.kind) {
    case "text":
      return "€".repeat(field.lengthMax);
    case "choice":
    case "level":
      return field.values.toSorted((left, right) => right.length - left.length)[0] ?? "";
    case "name":
      return "x".repeat(field.lengthMax);
    case "url":
      return `https://example.org/${"u".repeat(field.lengthMax - "https://example.org/".length)}`;
    case "flag":
      return true;
  }
}

for (const [provider, build] of Object.entries(BUILDERS)) {
  test(`${provider}: a push with every field at its maximum keeps the whole link`, () => {
    const push = build(createPushMessage(LONGEST));
    assert.ok(push?.includes(`"${LONGEST.link}"`));
  });

  test(`${provider}: a push of a prompt with every field at its maximum keeps its choices too`, () => {
    const push = build(createPushMessage({ ...LONGEST, interaction: LONGEST_INTERACTION }));
    assert.ok(push?.includes(`"${LONGEST.link}"`));
    // FCM's data has the choices as JSON in a string, so a backslash precedes each quote.
    const choices = push?.match(/"€{40}\\?"/gu) ?? [];
    assert.equal(choices.length, LONGEST_INTERACTION.actions.length);
  });
}

test("the short form with every field at its maximum keeps the whole link", () => {
  const shortPayload = buildShortPayload({ message: createPushMessage(LONGEST), baseUrl });
  assert.ok(shortPayload?.toString().includes(`"${LONGEST.link}"`));
});

test("the short form of a prompt keeps its choices, or none if they leave no room for a title", () => {
  const interaction = { ...LONGEST_INTERACTION, incidentId: null, cause: "prompt" };
  const build = (link: string | null) => {
    const message = createPushMessage({ ...LONGEST, link, interaction });
    const payload = buildShortPayload({ message, baseUrl }) ?? assert.fail();
    assert.ok(payload.length <= 2_600);
    assert.equal(findDeclarativeFault(payload.toString()), null);
    const { title, data } = JSON.parse(payload.toString()).notification;
    assert.match(title, /^€+$/);
    assert.deepEqual([data.prompt, data.link], [interaction.promptId, link]);
    return [data.actions, data.text];
  };
  assert.deepEqual(build(null), [interaction.actions, 1]);
  assert.deepEqual(build(LONGEST.link), [undefined, undefined]);
});

test("a push is built once per message, even if the result is null", () => {
  let count = 0;
  const buildOnce = cachePerMessage(({ title }) => {
    count += 1;
    return title === "" ? null : title;
  });
  const first = createPushMessage({ title: "one" });
  const equal = createPushMessage({ title: "one" });
  const empty = createPushMessage({ title: "" });
  assert.deepEqual(
    [buildOnce(first), buildOnce(first), buildOnce(equal), buildOnce(empty), buildOnce(empty)],
    ["one", "one", "one", null, null],
  );
  assert.equal(count, 3);
});
