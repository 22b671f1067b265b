import assert from "node:assert/strict";
import { test } from "node:test";
import { LIMITS } from "@tocsin/sdk";
import { splitUrls } from "./split-urls.ts";

function findUrls(text: string): readonly string[] {
  return splitUrls(text)
    .filter(({ isUrl }) => isUrl)
    .map((part) => part.text);
}

test("a URL ends before the punctuation of its sentence", () => {
  const texts = [
    ["see https://example.org/a?b=c#d.", "https://example.org/a?b=c#d"],
    ["(https://example.org/wiki/Disk_(full))", "https://example.org/wiki/Disk_(full)"],
    ["<HTTP://nas.local:8080/>", "HTTP://nas.local:8080/"],
    ["“https://example.org/ä”, now!", "https://example.org/ä"],
    ["[https://example.org/]: x", "https://example.org/"],
  ];
  for (const [text = "", url] of texts) assert.deepEqual(findUrls(text), [url], text);
});

test("text that only resembles a URL stays text", () => {
  for (const text of [
    "main.rs 10.0.0.1 example.org",
    "https://",
    "javascript:alert(1)",
    "http://[",
    "",
  ]) {
    assert.deepEqual(findUrls(text), [], text);
  }
});

/** Far longer than splitting takes, so that a busy machine does not fail the test. */
const SPLITTING_TIME_MAX_MS = 1_000;

test("a long text is split quickly, and its parts add up to the text", () => {
  for (const part of ["https://", "https://a.b)", "(", ")", "http://a]", "a", "!"]) {
    const text = part.repeat(LIMITS.bodyLength / part.length);
    const startedAt = performance.now();
    assert.equal(
      splitUrls(text)
        .map((textPart) => textPart.text)
        .join(""),
      text,
    );
    assert.ok(performance.now() - startedAt < SPLITTING_TIME_MAX_MS, part);
  }
});
