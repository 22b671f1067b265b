import assert from "node:assert/strict";
import test from "node:test";
import { pack, unpack } from "./message.ts";

const FROM = "0190a0a0-0000-7000-8000-000000000000";

test("messages arrive as they were, in texts that PostgreSQL carries", () => {
  const news = Array.from({ length: 5_000 }, (_, index) => ({
    topic: "read",
    body: { index, name: "Zoë 🔔" },
  }));
  const batches = pack(FROM, news);
  const texts = batches.flat();
  assert.ok(texts.every((text) => Buffer.byteLength(text) < 8_000));
  assert.ok(batches.every((batch) => batch.length <= 50));
  const told = texts.flatMap((text) => unpack(text)?.news ?? []);
  assert.deepEqual(told, news);
  assert.equal(unpack(texts[0] ?? "")?.from, FROM);
});

test("hints that say the same are told once, and what no text can carry is left out", () => {
  const due = { topic: "due", body: null };
  const long = { topic: "read", body: "x".repeat(8_000) };
  const texts = pack(FROM, [due, long, due, due]).flat();
  assert.deepEqual(
    texts.map((text) => unpack(text)?.news),
    [[due]],
  );
  assert.deepEqual(pack(FROM, []), []);
});

test("a text that no node of ours wrote is passed over", () => {
  for (const text of ["", "{", "null", "[]", '{"news":1}']) assert.equal(unpack(text), null, text);
  assert.deepEqual(unpack('{"news":[1,{"topic":"due","body":null},{"topic":2}]}'), {
    from: null,
    news: [{ topic: "due", body: null }],
  });
});
