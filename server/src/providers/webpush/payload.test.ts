import assert from "node:assert/strict";
import { test } from "node:test";
import { PLAINTEXT_MAX_BYTES } from "./encrypt.ts";
import { buildPayload, buildShortPayload, toTopic } from "./payload.ts";
import { createPushMessage } from "../../../test/support/push-message.ts";

const baseUrl = "https://tocsin.example.com";

function parsePayload(payload: Buffer | null) {
  assert.ok(payload !== null);
  assert.ok(payload.length <= PLAINTEXT_MAX_BYTES, `${payload.length} bytes`);
  return JSON.parse(payload.toString());
}

test("a message becomes a declarative push message that a service worker can read too", () => {
  const message = createPushMessage({
    sound: "arcade",
    channel: "alerts",
    link: "https://elsewhere.example.org/a?b=c",
    image: "https://elsewhere.example.org/a.png",
    timeSensitive: true,
  });
  assert.deepEqual(parsePayload(buildPayload({ message, baseUrl })), {
    web_push: 8030,
    notification: {
      title: "Disk full",
      body: "99 % of /var is used",
      navigate: "https://tocsin.example.com/n/01JD3K9Z6Q8X5T2V7B4N1M0HCA",
      tag: "01JD3K9Z6Q8X5T2V7B4N1M0HCA",
      dir: "auto",
      silent: false,
      image: "https://elsewhere.example.org/a.png",
      requireInteraction: true,
      data: {
        id: "01JD3K9Z6Q8X5T2V7B4N1M0HCA",
        channel: "alerts",
        sound: "arcade",
        ts: 1_763_664_000,
        link: "https://elsewhere.example.org/a?b=c",
      },
    },
    mutable: false,
  });
});

test("fields that do not apply are omitted, and an empty title becomes the product's name", () => {
  const { notification } = parsePayload(
    buildPayload({ message: createPushMessage({ title: " " }), baseUrl }),
  );
  assert.equal(notification.title, "Tocsin");
  assert.ok(!("image" in notification));
  assert.ok(!("requireInteraction" in notification));
  assert.ok(!("truncated" in notification.data));
});

test("a path in the base URL is kept and an id is escaped", () => {
  const message = createPushMessage({ notificationId: "a/b" });
  for (const baseUrl of ["https://example.com/push", "https://example.com/push/"]) {
    const { notification } = parsePayload(buildPayload({ message, baseUrl }));
    assert.equal(notification.navigate, "https://example.com/push/n/a%2Fb");
  }
});

test("a payload of 3993 bytes is kept, and a larger one is cut and marked", () => {
  const payloadWithoutBody = buildPayload({ message: createPushMessage({ body: "" }), baseUrl });
  const remainingBytes = PLAINTEXT_MAX_BYTES - (payloadWithoutBody?.length ?? 0);
  const wholePayload = parsePayload(
    buildPayload({ message: createPushMessage({ body: "a".repeat(remainingBytes) }), baseUrl }),
  );
  assert.equal(wholePayload.notification.body.length, remainingBytes);
  assert.ok(!("truncated" in wholePayload.notification.data));
  const cutPayload = buildPayload({
    message: createPushMessage({ body: "a".repeat(remainingBytes + 1) }),
    baseUrl,
  });
  assert.equal(cutPayload?.length, PLAINTEXT_MAX_BYTES);
  assert.equal(parsePayload(cutPayload).notification.data.truncated, 1);
});

test("a long body is cut between graphemes, and title, image and link stay", () => {
  const link = `https://example.org/${"l".repeat(1_000)}`;
  const image = `https://example.org/${"i".repeat(1_000)}`;
  const message = createPushMessage({ body: "👨‍👩‍👧‍👦".repeat(400), link, image });
  const { notification } = parsePayload(buildPayload({ message, baseUrl }));
  assert.match(notification.body, /^(?:👨‍👩‍👧‍👦)+$/u);
  assert.equal(notification.title, message.title);
  assert.equal(notification.image, image);
  assert.equal(notification.data.link, link);
});

test("an image is dropped before the body is lost", () => {
  const link = `https://example.org/${"l".repeat(2_028)}`;
  const image = `https://example.org/${"i".repeat(2_028)}`;
  const { notification } = parsePayload(
    buildPayload({ message: createPushMessage({ link, image }), baseUrl }),
  );
  assert.ok(!("image" in notification));
  assert.equal(notification.body, "99 % of /var is used");
  assert.equal(notification.data.link, link);
  assert.ok(!("truncated" in notification.data));
});

test("a title is cut only after the body is removed", () => {
  const link = `https://example.org/${"l".repeat(3_400)}`;
  const message = createPushMessage({ title: "é".repeat(256), link });
  const { notification } = parsePayload(buildPayload({ message, baseUrl }));
  assert.match(notification.title, /^é{1,255}$/u);
  assert.equal(notification.body, "");
  assert.equal(notification.data.truncated, 1);
  assert.equal(notification.data.link, link);
});

test("a message is too large if its link leaves no space", () => {
  const message = createPushMessage({
    link: `https://example.org/${"l".repeat(PLAINTEXT_MAX_BYTES)}`,
  });
  assert.equal(buildPayload({ message, baseUrl }), null);
  assert.equal(buildShortPayload({ message, baseUrl }), null);
});

test("the short form has title and link only, and fits Mozilla's bridge to FCM", () => {
  const link = `https://example.org/${"l".repeat(2_028)}`;
  const image = "https://example.org/i.png";
  const title = "é".repeat(256);
  const shortPayload = buildShortPayload({
    message: createPushMessage({ title, link, image }),
    baseUrl,
  });
  assert.ok(shortPayload !== null && shortPayload.length <= 2_600);
  const { notification } = parsePayload(shortPayload);
  assert.equal(notification.body, "");
  assert.ok(!("image" in notification));
  assert.equal(notification.data.link, link);
  assert.equal(notification.data.truncated, 1);
});

test("a topic is 32 characters of base64url, and equal only for equal ids", () => {
  const ids = ["", "01J", "01JD3K9Z6Q8X5T2V7B4N1M0HCA", "é".repeat(200)];
  for (const id of ids) assert.match(toTopic(id), /^[\w-]{32}$/u);
  assert.equal(new Set(ids.map(toTopic)).size, ids.length);
  assert.equal(toTopic("01J"), toTopic("01J"));
});
