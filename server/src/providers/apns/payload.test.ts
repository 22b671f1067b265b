import assert from "node:assert/strict";
import { test } from "node:test";
import { SOUNDS } from "@tocsin/sdk";
import fc from "fast-check";
import type { Message } from "../provider.ts";
import { buildPayload } from "./payload.ts";
import { createPushMessage } from "../../../test/support/push-message.ts";

const PAYLOAD_MAX_BYTES = 4_096;

function build(overrides: Partial<Message>) {
  const payload = buildPayload(createPushMessage(overrides));
  assert.ok(payload !== null);
  assert.ok(payload.length <= PAYLOAD_MAX_BYTES, `${payload.length} bytes`);
  return JSON.parse(payload.toString());
}

test("a message becomes an alert with additional fields for the app", () => {
  const message = {
    sound: "arcade" as const,
    channel: "alerts",
    link: "https://elsewhere.example.org/a?b=c",
    image: "https://elsewhere.example.org/a.png",
    timeSensitive: true,
  };
  assert.deepEqual(build(message), {
    aps: {
      alert: { title: "Disk full", body: "99 % of /var is used" },
      sound: "arcade.caf",
      "thread-id": "alerts",
      "interruption-level": "time-sensitive",
      "relevance-score": 1,
      "mutable-content": 1,
    },
    id: "01JD3K9Z6Q8X5T2V7B4N1M0HCA",
    channel: "alerts",
    link: "https://elsewhere.example.org/a?b=c",
    image: "https://elsewhere.example.org/a.png",
    ts: 1_763_664_000,
  });
});

test("an empty text and a missing link or image are omitted", () => {
  assert.deepEqual(build({ title: "" }), {
    aps: {
      alert: { body: "99 % of /var is used" },
      sound: "default",
      "thread-id": "feed",
      "interruption-level": "active",
    },
    id: "01JD3K9Z6Q8X5T2V7B4N1M0HCA",
    channel: "feed",
    ts: 1_763_664_000,
  });
  assert.deepEqual(build({ body: "" }).aps.alert, { title: "Disk full" });
});

test("every sound except the default one is a file of the app", () => {
  assert.equal(SOUNDS.length, 15);
  for (const sound of SOUNDS) {
    const file = sound === "default" ? "default" : `${sound}.caf`;
    assert.equal(build({ sound }).aps.sound, file);
  }
});

test("a payload is truncated only if it exceeds 4096 bytes", () => {
  const shortPayload = buildPayload(createPushMessage({ body: "a" })) ?? assert.fail();
  const bodyBytes = PAYLOAD_MAX_BYTES - shortPayload.length + 1;
  const wholePayload = build({ body: "a".repeat(bodyBytes) });
  assert.equal(wholePayload.aps.alert.body.length, bodyBytes);
  assert.ok(!("truncated" in wholePayload));
  const cutPayload = buildPayload(createPushMessage({ body: "a".repeat(bodyBytes + 1) }));
  assert.equal(cutPayload?.length, PAYLOAD_MAX_BYTES);
  assert.equal(JSON.parse(cutPayload.toString()).truncated, 1);
});

test("a long body is cut between graphemes", () => {
  const link = `https://example.org/${"l".repeat(1_000)}`;
  const image = `https://example.org/${"i".repeat(1_000)}`;
  const payload = build({ body: "👨‍👩‍👧‍👦".repeat(400), link, image });
  assert.match(payload.aps.alert.body, /^(?:👨‍👩‍👧‍👦)+$/u);
  assert.equal(payload.aps.alert.title, "Disk full");
  assert.equal(payload.image, image);
  assert.equal(payload.link, link);
  assert.equal(payload.truncated, 1);
});

test("an image is dropped before the body is lost", () => {
  const link = `https://example.org/${"l".repeat(2_028)}`;
  const image = `https://example.org/${"i".repeat(2_028)}`;
  const payload = build({ link, image });
  assert.ok(!("image" in payload));
  assert.ok(!("mutable-content" in payload.aps));
  assert.equal(payload.aps.alert.body, "99 % of /var is used");
  assert.equal(payload.link, link);
  assert.ok(!("truncated" in payload));
});

test("a title is cut only after the whole body is removed", () => {
  const link = `https://example.org/${"l".repeat(3_400)}`;
  const payload = build({ title: "é".repeat(512), link });
  assert.match(payload.aps.alert.title, /^é{1,511}$/u);
  assert.ok(!("body" in payload.aps.alert));
  assert.equal(payload.link, link);
  assert.equal(payload.truncated, 1);
});

test("a message with a link that does not fit is too large", () => {
  assert.equal(
    buildPayload(createPushMessage({ link: `https://x.org/${"l".repeat(4_096)}` })),
    null,
  );
});

test("the payload of any message fits and keeps the link", () => {
  const text = (maxLength: number) => {
    const unit = fc.constantFrom("a", "é", "👨‍👩‍👧‍👦", "\n", '"', "\\", "\u0001", "\u2028", "字");
    return fc
      .tuple(unit, fc.string({ unit: "grapheme" }), fc.nat({ max: maxLength }))
      .map(([repeated, start, count]) =>
        `${start}${repeated.repeat(count)}`.slice(0, maxLength).toWellFormed(),
      );
  };
  const url = fc.nat({ max: 2_028 }).map((length) => `https://example.org/${"u".repeat(length)}`);
  const overrides = fc.record({
    title: text(1_024),
    body: text(32_768),
    link: fc.option(url),
    image: fc.option(url),
    sound: fc.constantFrom(null, ...SOUNDS),
    timeSensitive: fc.boolean(),
  });
  const check = (message: Partial<Message> & { title: string; body: string }): void => {
    fc.pre(message.title !== "" || message.body !== "");
    const payload = build(message);
    const { title = "", body = "" } = payload.aps.alert;
    assert.equal(payload.link, message.link ?? undefined);
    assert.ok(message.title.startsWith(title) && message.body.startsWith(body));
    const isWhole = title === message.title && body === message.body;
    assert.equal(payload.truncated, isWhole ? undefined : 1);
    assert.equal("mutable-content" in payload.aps, "image" in payload);
  };
  fc.assert(fc.property(overrides, check), { numRuns: 300 });
});
