import assert from "node:assert/strict";
import { test } from "node:test";
import { classifyLink, parseWebUrl } from "./classify-link.ts";

test("a web link is identified by its parsed scheme, not by its text", () => {
  assert.equal(parseWebUrl("https://example.org/a")?.host, "example.org");
  assert.equal(parseWebUrl("HTTP://example.org")?.protocol, "http:");
  for (const link of [null, "", "example.org", "/a", "ssh://host", "java\nscript:alert(1)"]) {
    assert.equal(parseWebUrl(link), null);
  }
});

test("a link opens, opens after a confirmation, or never opens", () => {
  const classify = (link: string) => {
    const { kind, ...properties } = classifyLink(link);
    return "isWeb" in properties ? [kind, properties.isWeb] : [kind];
  };
  assert.deepEqual(classify("https://example.org"), ["open", true]);
  assert.deepEqual(classify("mailto:ann@example.org"), ["open", false]);
  for (const link of [
    "homeassistant://navigate/lights",
    "ms-msdt:/id",
    "view-source:https://a.b",
  ]) {
    assert.deepEqual(classify(link), ["ask"], link);
  }
  for (const link of ["javascript:a()", "file:///etc/passwd", "not a link"]) {
    assert.deepEqual(classify(link), ["never"], link);
  }
});
