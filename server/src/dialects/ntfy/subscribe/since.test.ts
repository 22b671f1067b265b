import assert from "node:assert/strict";
import { test } from "node:test";
import { parseSince } from "./since.ts";

/** 500 ms after a whole second. */
const NOW = 1_790_000_000_500;

function parse(text: string, isPoll = false) {
  return parseSince(text, { isPoll, now: NOW });
}

test("without a position, a stream has the messages that the app was never given, and a poll has all", () => {
  assert.deepEqual(parse(""), { kind: "owed" });
  assert.deepEqual(parse("", true), { kind: "all" });
});

test("a position is a word, an id, a time or a duration", () => {
  for (const kind of ["all", "none", "latest"]) assert.deepEqual(parse(kind), { kind });
  const id = "01900000-0000-7000-8000-00000000000A";
  assert.deepEqual(parse(id), { kind: "id", id: id.toLowerCase() });
  // Ids of ntfy's own server have 12 letters and digits.
  assert.deepEqual(parse("nFS3knfcQ1xe"), { kind: "id", id: "nfs3knfcq1xe" });
  assert.deepEqual(parse("1789999999"), { kind: "time", at: 1_789_999_999_000 });
});

test("a duration is counted back from the current second", () => {
  for (const [text, at] of [
    ["10m", 1_789_999_400],
    ["1h30m", 1_789_994_600],
    ["1.5h", 1_789_994_600],
    [".5s", 1_790_000_000],
    ["1500ms", 1_789_999_999],
    ["2000000us", 1_789_999_998],
    ["2000000µs", 1_789_999_998],
    ["30000000000ns", 1_789_999_970],
    ["+1m", 1_789_999_940],
    ["-1m", 1_790_000_060],
  ] as const) {
    assert.deepEqual(parse(text), { kind: "time", at: at * 1_000 }, text);
  }
});

test("a time before 1970 or beyond all dates becomes the nearest possible one", () => {
  assert.deepEqual(parse("-5"), { kind: "time", at: 0 });
  assert.deepEqual(parse("9999999999999999999"), { kind: "time", at: 8.64e15 });
  assert.deepEqual(parse(`${"9".repeat(400)}h`), { kind: "time", at: 0 });
});

test("any other text is refused with 40008", () => {
  for (const text of ["x", "1d", "m", "10 m", "1h-30m", "1.2.3s", "ALL", "0x10", "."]) {
    assert.throws(() => parse(text), { ntfyCode: 40008 }, text);
  }
});

test("a text of the longest header is refused in linear time", () => {
  for (const text of ["1".repeat(30_000), "1.".repeat(15_000), `${"1s".repeat(15_000)}1`]) {
    const startedAt = performance.now();
    assert.throws(() => parseSince(text, { isPoll: true, now: 0 }), { ntfyCode: 40008 });
    assert.ok(performance.now() - startedAt < 500);
  }
});
