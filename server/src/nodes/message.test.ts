import assert from "node:assert/strict";
import test from "node:test";
import { encodeMessages, decodeMessages } from "./message.ts";

const FROM = "0190a0a0-0000-7000-8000-000000000000";

test("messages arrive unchanged, in strings below PostgreSQL's limit and in batches of at most 50 strings", () => {
  const messages = Array.from({ length: 5_000 }, (_, index) => ({
    topic: "read",
    body: { index, name: "Zoë 🔔" },
  }));
  const batches = encodeMessages(FROM, messages);
  const texts = batches.flat();
  assert.ok(texts.every((text) => Buffer.byteLength(text) < 8_000));
  assert.ok(batches.every((batch) => batch.length <= 50));
  const received = texts.flatMap((text) => decodeMessages(text)?.messages ?? []);
  assert.deepEqual(received, messages);
  assert.equal(decodeMessages(texts[0] ?? "")?.from, FROM);
});

test("duplicate messages are sent once, and oversized ones are left out", () => {
  const due = { topic: "due", body: null };
  const oversized = { topic: "read", body: "x".repeat(8_000) };
  const texts = encodeMessages(FROM, [due, oversized, due, due]).flat();
  assert.deepEqual(
    texts.map((text) => decodeMessages(text)?.messages),
    [[due]],
  );
  assert.deepEqual(encodeMessages(FROM, []), []);
});

test("a string that no Tocsin node wrote is ignored, and so is an invalid message", () => {
  for (const text of ["", "{", "null", "[]", '{"news":1}'])
    assert.equal(decodeMessages(text), null, text);
  assert.deepEqual(decodeMessages('{"news":[1,{"topic":"due","body":null},{"topic":2}]}'), {
    from: null,
    messages: [{ topic: "due", body: null }],
  });
});
