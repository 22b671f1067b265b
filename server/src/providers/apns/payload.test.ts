import assert from "node:assert/strict";
import { test } from "node:test";
import { SOUNDS } from "@tocsin/sdk";
import fc from "fast-check";
import type { Message } from "../provider.ts";
import { buildPayload } from "./payload.ts";
import { messageWith } from "../../../test/support/push-message.ts";

function read(change: Partial<Message>) {
  const payload = buildPayload(messageWith(change));
  assert.ok(payload !== null);
  assert.ok(payload.length <= 4_096, `${payload.length} bytes`);
  return JSON.parse(payload.toString());
}

test("a message becomes an alert, with what the app needs beside it", () => {
  const message = {
    sound: "arcade" as const,
    channel: "alerts",
    link: "https://elsewhere.example.org/a?b=c",
    image: "https://elsewhere.example.org/a.png",
    timeSensitive: true,
  };
  assert.deepEqual(read(message), {
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

test("a field that a message lacks is left out", () => {
  assert.deepEqual(read({ title: "" }), {
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
  assert.deepEqual(read({ body: "" }).aps.alert, { title: "Disk full" });
});

test("every sound is a file of the app, and the default is the system's", () => {
  assert.equal(SOUNDS.length, 15);
  for (const sound of SOUNDS) {
    const file = sound === "default" ? "default" : `${sound}.caf`;
    assert.equal(read({ sound }).aps.sound, file);
  }
});

test("a payload of exactly 4096 bytes stays whole, one byte more is cut and marked", () => {
  const room = 4_096 - (buildPayload(messageWith({ body: "a" }))?.length ?? 0) + 1;
  const whole = read({ body: "a".repeat(room) });
  assert.equal(whole.aps.alert.body.length, room);
  assert.ok(!("truncated" in whole));
  const cut = buildPayload(messageWith({ body: "a".repeat(room + 1) }));
  assert.equal(cut?.length, 4_096);
  assert.equal(JSON.parse(cut.toString()).truncated, 1);
});

test("a long body is cut between graphemes, and title, image and link stay", () => {
  const link = `https://example.org/${"l".repeat(1_000)}`;
  const image = `https://example.org/${"i".repeat(1_000)}`;
  const payload = read({ body: "👨‍👩‍👧‍👦".repeat(400), link, image });
  assert.match(payload.aps.alert.body, /^(?:👨‍👩‍👧‍👦)+$/u);
  assert.equal(payload.aps.alert.title, "Disk full");
  assert.equal(payload.image, image);
  assert.equal(payload.link, link);
  assert.equal(payload.truncated, 1);
});

test("an image goes before the last of the body does, and nobody is woken to fetch it", () => {
  const link = `https://example.org/${"l".repeat(2_028)}`;
  const image = `https://example.org/${"i".repeat(2_028)}`;
  const payload = read({ link, image });
  assert.ok(!("image" in payload));
  assert.ok(!("mutable-content" in payload.aps));
  assert.equal(payload.aps.alert.body, "99 % of /var is used");
  assert.equal(payload.link, link);
  assert.ok(!("truncated" in payload));
});

test("a title is cut only when the body is gone", () => {
  const link = `https://example.org/${"l".repeat(3_400)}`;
  const payload = read({ title: "é".repeat(512), link });
  assert.match(payload.aps.alert.title, /^é{1,511}$/u);
  assert.ok(!("body" in payload.aps.alert));
  assert.equal(payload.link, link);
  assert.equal(payload.truncated, 1);
});

test("a link that leaves no room makes the message too large", () => {
  assert.equal(buildPayload(messageWith({ link: `https://x.org/${"l".repeat(4_096)}` })), null);
});

test("the payload of any message fits, is JSON, and has the whole link", () => {
  const text = (maxLength: number) => {
    const unit = fc.constantFrom("a", "é", "👨‍👩‍👧‍👦", "\n", '"', "\\", "\u0001", "\u2028", "字");
    return fc
      .tuple(unit, fc.string({ unit: "grapheme" }), fc.nat({ max: maxLength }))
      .map(([a, b, count]) => `${b}${a.repeat(count)}`.slice(0, maxLength).toWellFormed());
  };
  const url = fc.nat({ max: 2_028 }).map((length) => `https://example.org/${"u".repeat(length)}`);
  const change = fc.record({
    title: text(1_024),
    body: text(32_768),
    link: fc.option(url),
    image: fc.option(url),
    sound: fc.constantFrom(null, ...SOUNDS),
    timeSensitive: fc.boolean(),
  });
  const check = (given: Partial<Message> & { title: string; body: string }): void => {
    fc.pre(given.title !== "" || given.body !== "");
    const payload = read(given);
    const { title = "", body = "" } = payload.aps.alert;
    assert.equal(payload.link, given.link ?? undefined);
    assert.ok(given.title.startsWith(title) && given.body.startsWith(body));
    const isWhole = title === given.title && body === given.body;
    assert.equal(payload.truncated, isWhole ? undefined : 1);
    assert.equal("mutable-content" in payload.aps, "image" in payload);
  };
  fc.assert(fc.property(change, check), { numRuns: 300 });
});
