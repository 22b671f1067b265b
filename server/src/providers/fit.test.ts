import assert from "node:assert/strict";
import { test } from "node:test";
import { CONTENT_FIELDS, type ContentField, type NotificationContent } from "@tocsin/sdk";
import { messageWith } from "../../test/support/push-message.ts";
import { buildPayload as buildApnsPayload } from "./apns/payload.ts";
import { buildMessage } from "./fcm/message.ts";
import { oncePerMessage } from "./fit.ts";
import type { Message, ProviderName } from "./provider.ts";
import { buildPayload, buildShortPayload } from "./webpush/payload.ts";

const baseUrl = "https://tocsin.example.com";
const address = { provider: "fcm", kind: "token", token: "t" } as const;

/** Return the JSON that each push service gets of a message; null where the message is too large. */
const PUSHES: Readonly<Record<ProviderName, (message: Message) => string | null>> = {
  apns: (message) => buildApnsPayload(message)?.toString() ?? null,
  fcm: (message) => {
    const request = buildMessage({ message, address, now: 0 });
    return request === null ? null : JSON.stringify(request.message.android.data);
  },
  webpush: (message) => buildPayload({ message, baseUrl })?.toString() ?? null,
};

/** Every field at its longest, in characters of three bytes where it may have them. */
const LONGEST = Object.fromEntries(
  Object.entries(CONTENT_FIELDS).map(([name, field]) => [name, longestOf(field)]),
) as unknown as NotificationContent; // Made of every field.

function longestOf(field: ContentField): string | boolean {
  switch (field.kind) {
    case "text":
      return "€".repeat(field.lengthMax);
    case "choice":
      return field.values.toSorted((one, other) => other.length - one.length)[0] ?? "";
    case "name":
      return "x".repeat(field.lengthMax);
    case "url":
      return `https://example.org/${"u".repeat(field.lengthMax - "https://example.org/".length)}`;
    case "flag":
      return true;
  }
}

for (const [provider, pushOf] of Object.entries(PUSHES)) {
  test(`${provider}: a push is made of the longest of every field, with the whole link`, () => {
    const push = pushOf(messageWith(LONGEST));
    assert.ok(push?.includes(`"${LONGEST.link}"`));
  });
}

test("the short form for a browser is made of the longest of every field", () => {
  const short = buildShortPayload({ message: messageWith(LONGEST), baseUrl });
  assert.ok(short?.toString().includes(`"${LONGEST.link}"`));
});

test("a push is made once for each message, and null counts as made", () => {
  let count = 0;
  const make = oncePerMessage(({ title }) => {
    count += 1;
    return title === "" ? null : title;
  });
  const [one, alike, empty] = [
    messageWith({ title: "one" }),
    messageWith({ title: "one" }),
    messageWith({ title: "" }),
  ];
  assert.deepEqual(
    [make(one), make(one), make(alike), make(empty), make(empty)],
    ["one", "one", "one", null, null],
  );
  assert.equal(count, 3);
});
