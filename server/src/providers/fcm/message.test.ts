import assert from "node:assert/strict";
import { test } from "node:test";
import type { fcm_v1 } from "@googleapis/fcm";
import * as fc from "fast-check";
import type { Message as AdminMessage } from "firebase-admin/messaging";
import { SOUNDS } from "@tocsin/sdk";
import { validateMessage } from "../../../test/doubles/fcm/fcm-message-rules.ts";
import type { FcmAddress, Message } from "../provider.ts";
import { buildRequest, type FcmRequest } from "./message.ts";
import { createPushMessage } from "../../../test/support/push-message.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const DATA_MAX_BYTES = 4_096;
const NOW = 1_763_664_000_999;
const token = `dQw4w9WgXcQ_-abcDEF123:APA91b${"x".repeat(134)}`;
const address: FcmAddress = { provider: "fcm", kind: "token", token };

/** Returns a message that was created now. */
function createMessage(overrides: Partial<Message> = {}): Message {
  return createPushMessage({ createdAt: NOW, expiresAt: NOW + DAY_MS, ...overrides });
}

function build(overrides: Partial<Message> = {}): FcmRequest {
  const request = buildRequest({ message: createMessage(overrides), address, now: NOW });
  assert.ok(request !== null);
  return request;
}

function buildData(overrides: Partial<Message> = {}): Readonly<Record<string, string>> {
  return build(overrides).message.android.data;
}

function measureData(data: Readonly<Record<string, string>>): number {
  return Object.entries(data).reduce(
    (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(value),
    0,
  );
}

test("a message becomes a data message of high priority", () => {
  const overrides = {
    sound: "arcade" as const,
    channel: "alerts",
    link: "https://elsewhere.example.org/a?b=c",
    image: "https://elsewhere.example.org/a.png",
    timeSensitive: true,
  };
  assert.deepEqual(build(overrides), {
    message: {
      token,
      android: {
        priority: "HIGH",
        ttl: "86400s",
        data: {
          id: "01JD3K9Z6Q8X5T2V7B4N1M0HCA",
          title: "Disk full",
          body: "99 % of /var is used",
          channel: "alerts",
          sound: "arcade" as const,
          timeSensitive: "1",
          ts: "1763664000",
          link: "https://elsewhere.example.org/a?b=c",
          image: "https://elsewhere.example.org/a.png",
        },
      },
    },
  });
});

test("a missing link or image is omitted", () => {
  assert.deepEqual(buildData(), {
    id: "01JD3K9Z6Q8X5T2V7B4N1M0HCA",
    title: "Disk full",
    body: "99 % of /var is used",
    channel: "feed",
    sound: "default",
    timeSensitive: "0",
    ts: "1763664000",
  });
});

test("every sound is sent by name", () => {
  for (const sound of SOUNDS) assert.equal(buildData({ sound })["sound"], sound);
});

test("an installation id is sent as `fid`", () => {
  const fid = "dQw4w9WgXcQ_-abcDEF123";
  const request = buildRequest({
    message: createMessage(),
    address: { provider: "fcm", kind: "fid", token: fid },
    now: NOW,
  });
  assert.deepEqual(Object.keys(request?.message ?? {}), ["fid", "android"]);
  assert.ok(request !== null && "fid" in request.message && request.message.fid === fid);
});

test("the TTL is the remaining lifetime, from one second to four weeks", () => {
  const getTtlAfter = (ms: number) => build({ expiresAt: NOW + ms }).message.android.ttl;
  assert.equal(getTtlAfter(90_999), "90s");
  assert.equal(getTtlAfter(999), "1s");
  assert.equal(getTtlAfter(-5_000), "1s");
  assert.equal(getTtlAfter(28 * DAY_MS), "2419200s");
  assert.equal(getTtlAfter(29 * DAY_MS), "2419200s");
});

test("data is truncated only if it exceeds 4096 bytes", () => {
  const bodyBytes = DATA_MAX_BYTES - measureData(buildData({ body: "" }));
  // A quotation mark takes two bytes in JSON and one in UTF-8. FCM counts the latter.
  const wholeData = buildData({ body: '"'.repeat(bodyBytes) });
  assert.equal(measureData(wholeData), DATA_MAX_BYTES);
  assert.equal(wholeData["truncated"], undefined);
  const cutData = buildData({ body: '"'.repeat(bodyBytes + 1) });
  assert.equal(measureData(cutData), DATA_MAX_BYTES);
  assert.equal(cutData["truncated"], "1");
});

test("a long body is cut between graphemes", () => {
  const link = `https://example.org/${"l".repeat(1_000)}`;
  const image = `https://example.org/${"i".repeat(1_000)}`;
  const data = buildData({ body: "👨‍👩‍👧‍👦".repeat(400), link, image });
  assert.match(data["body"] ?? "", /^(?:👨‍👩‍👧‍👦)+$/u);
  assert.equal(data["title"], "Disk full");
  assert.equal(data["image"], image);
  assert.equal(data["link"], link);
});

test("an image is dropped before the body is lost", () => {
  const link = `https://example.org/${"l".repeat(2_028)}`;
  const image = `https://example.org/${"i".repeat(2_028)}`;
  const data = buildData({ link, image });
  assert.equal(data["image"], undefined);
  assert.equal(data["body"], "99 % of /var is used");
  assert.equal(data["link"], link);
  assert.equal(data["truncated"], undefined);
});

test("a title is cut only after the whole body is removed", () => {
  const link = `https://example.org/${"l".repeat(3_400)}`;
  const data = buildData({ title: "é".repeat(512), link });
  assert.match(data["title"] ?? "", /^é{1,511}$/u);
  assert.equal(data["body"], "");
  assert.equal(data["truncated"], "1");
  assert.equal(data["link"], link);
});

test("a message with a link that does not fit is too large", () => {
  const message = createMessage({ link: `https://example.org/${"l".repeat(4_096)}` });
  assert.equal(buildRequest({ message, address, now: NOW }), null);
});

test("any message obeys FCM's rules and keeps its link", () => {
  const text = (maxLength: number) =>
    fc.string({ unit: fc.constantFrom("a", '"', "é", "\n", "👨‍👩‍👧‍👦", "🇫🇷", "e\u0301"), maxLength });
  const url = fc.option(fc.nat(4_200).map((length) => `https://e.org/${"x".repeat(length)}`));
  const message = fc.record({
    title: text(1_024),
    body: text(3_000),
    link: url,
    image: url,
    timeSensitive: fc.boolean(),
  });
  fc.assert(
    fc.property(message, (overrides) => {
      const request = buildRequest({ message: createMessage(overrides), address, now: NOW });
      if (request === null) {
        // Only a link that takes nearly all of the data leaves no room for a title.
        assert.ok((overrides.link?.length ?? 0) > 3_800);
        return;
      }
      const { data } = request.message.android;
      assert.equal(
        validateMessage(JSON.stringify(request), "application/json").kind,
        "well-formed",
      );
      assert.ok(measureData(data) <= DATA_MAX_BYTES);
      assert.equal(data.link, overrides.link ?? undefined);
      const { title = "", body = "" } = data;
      assert.ok(overrides.title.startsWith(title) && overrides.body.startsWith(body));
      const isCut = title !== overrides.title || body !== overrides.body;
      assert.equal(data.truncated, isCut ? "1" : undefined);
    }),
    { numRuns: 200 },
  );
});

test("the message matches Google's own types", () => {
  const { message } = build();
  const sendRequest: fcm_v1.Schema$SendMessageRequest = { message };
  assert.equal(sendRequest.message?.android?.ttl, "86400s");
  const { android } = message;
  // The library uses milliseconds and a priority in lower case.
  const adminMessage: AdminMessage = {
    ...message,
    android: { ...android, priority: "high", ttl: DAY_MS },
  };
  assert.equal(adminMessage.android?.data?.["channel"], "feed");
});
