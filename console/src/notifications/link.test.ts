import assert from "node:assert/strict";
import { test } from "node:test";
import { webUrlOf } from "./link.ts";

test("links into the web can be clicked, by the parsed scheme and not by the text", () => {
  assert.equal(webUrlOf("https://example.org/a")?.host, "example.org");
  assert.equal(webUrlOf("HTTP://example.org")?.protocol, "http:");
  for (const link of [null, "", "example.org", "/a", "ssh://host", "java\nscript:alert(1)"]) {
    assert.equal(webUrlOf(link), null);
  }
});
