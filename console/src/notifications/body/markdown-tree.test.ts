import assert from "node:assert/strict";
import { test } from "node:test";
import { LIMITS } from "@tocsin/sdk";
import { getNodeText, parseMarkdown, toPlainText, type MarkdownNode } from "./markdown-tree.ts";

function collectTypes(nodes: readonly MarkdownNode[]): readonly string[] {
  return nodes.flatMap(({ token, children }) => [token.type, ...collectTypes(children)]);
}

function measureDepth(nodes: readonly MarkdownNode[]): number {
  return Math.max(0, ...nodes.map(({ children }) => 1 + measureDepth(children)));
}

test("HTML stays text", () => {
  for (const text of ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "a <b>b</b>"]) {
    const types = new Set(collectTypes(parseMarkdown(text)));
    assert.deepEqual([...types].toSorted(), ["paragraph_open", "text"], text);
  }
});

test("a link without an allowed scheme stays text", () => {
  for (const url of [
    "javascript:alert(1)",
    "data:text/html,a",
    "//evil.example",
    "/a",
    "file:///etc",
  ]) {
    assert.ok(!collectTypes(parseMarkdown(`[a](${url})`)).includes("link_open"), url);
  }
  for (const text of ["[a](https://example.org)", "https://example.org", "[a](ssh://nas.local)"]) {
    assert.ok(collectTypes(parseMarkdown(text)).includes("link_open"), text);
  }
  assert.ok(
    !collectTypes(parseMarkdown("main.rs, example.org and a@example.org")).includes("link_open"),
  );
});

test("plain text is one line without markup, and a text of only markup stays unchanged", () => {
  assert.equal(
    toPlainText("# Disk\n\n- **full** on `db-1`\n- [wiki](https://example.org)"),
    "Disk full on db-1 wiki",
  );
  assert.equal(toPlainText("- **db**: _no space_, see\n- `df`."), "db: no space, see df.");
  assert.equal(toPlainText("---"), "---");
});

test("the line of a link definition stays text", () => {
  const text = "[db-1]: https://example.org/db-1";
  assert.equal(parseMarkdown(text).map(getNodeText).join("").trim(), text);
});

test("no text of deeply nested quotes and lists is lost", () => {
  for (const marker of ["> ", "- ", "1. ", "> - "]) {
    for (let depth = 1; depth <= 120; depth += 1) {
      const plainText = toPlainText(`before\n\n${marker.repeat(depth)}deep\n\nafter`);
      assert.match(plainText, /^before .*deep after$/u, `${depth} times ${marker}`);
    }
  }
});

/** A depth that every browser renders. */
const RENDERED_DEPTH_MAX = 30;
/** Far longer than parsing takes, so that a busy machine does not fail the test. */
const PARSING_TIME_MAX_MS = 20_000;

test("nesting and parsing time are limited", () => {
  for (const part of ["> ", "- ", "**a ", "*a_", "[", "![a](", "~~a"]) {
    const startedAt = performance.now();
    const tree = parseMarkdown(part.repeat(Math.ceil(LIMITS.bodyLength / part.length)));
    assert.ok(measureDepth(tree) <= RENDERED_DEPTH_MAX, part);
    assert.ok(performance.now() - startedAt < PARSING_TIME_MAX_MS, part);
  }
});
