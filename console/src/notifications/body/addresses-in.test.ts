import assert from "node:assert/strict";
import { test } from "node:test";
import { partsOf } from "./addresses-in.ts";

function addressesOf(text: string): readonly string[] {
  return partsOf(text)
    .filter(({ isAddress }) => isAddress)
    .map((part) => part.text);
}

test("an address ends before what ends the sentence", () => {
  const texts = [
    ["see https://example.org/a?b=c#d.", "https://example.org/a?b=c#d"],
    ["(https://example.org/wiki/Disk_(full))", "https://example.org/wiki/Disk_(full)"],
    ["<HTTP://nas.local:8080/>", "HTTP://nas.local:8080/"],
    ["“https://example.org/ä”, now!", "https://example.org/ä"],
    ["[https://example.org/]: x", "https://example.org/"],
  ];
  for (const [text = "", address] of texts) assert.deepEqual(addressesOf(text), [address], text);
});

test("text that only looks like an address stays text", () => {
  for (const text of [
    "main.rs 10.0.0.1 example.org",
    "https://",
    "javascript:alert(1)",
    "http://[",
    "",
  ]) {
    assert.deepEqual(addressesOf(text), [], text);
  }
});

test("the parts together are the text, however long it is", () => {
  for (const part of ["https://", "https://a.b)", "(", ")", "http://a]", "a", "!"]) {
    const text = part.repeat(32_768 / part.length);
    const started = performance.now();
    assert.equal(
      partsOf(text)
        .map((one) => one.text)
        .join(""),
      text,
    );
    assert.ok(performance.now() - started < 1_000, part);
  }
});
