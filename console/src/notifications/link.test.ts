import assert from "node:assert/strict";
import { test } from "node:test";
import { offeredLink, webUrlOf } from "./link.ts";

test("links into the web can be clicked, by the parsed scheme and not by the text", () => {
  assert.equal(webUrlOf("https://example.org/a")?.host, "example.org");
  assert.equal(webUrlOf("HTTP://example.org")?.protocol, "http:");
  for (const link of [null, "", "example.org", "/a", "ssh://host", "java\nscript:alert(1)"]) {
    assert.equal(webUrlOf(link), null);
  }
});

test("a link is opened, asked about or only shown", () => {
  const offered = (link: string) => {
    const { kind, ...others } = offeredLink(link);
    return "isWeb" in others ? [kind, others.isWeb] : [kind];
  };
  assert.deepEqual(offered("https://example.org"), ["open", true]);
  assert.deepEqual(offered("mailto:ann@example.org"), ["open", false]);
  for (const link of [
    "homeassistant://navigate/lights",
    "ms-msdt:/id",
    "view-source:https://a.b",
  ]) {
    assert.deepEqual(offered(link), ["ask"], link);
  }
  for (const link of ["javascript:a()", "file:///etc/passwd", "not a link"]) {
    assert.deepEqual(offered(link), ["never"], link);
  }
});
