import assert from "node:assert/strict";
import { test } from "node:test";
import { treeOf, wordsOf, type Node } from "./markdown-tree.ts";

function typesOf(nodes: readonly Node[]): readonly string[] {
  return nodes.flatMap(({ token, children }) => [token.type, ...typesOf(children)]);
}

function depthOf(nodes: readonly Node[]): number {
  return Math.max(0, ...nodes.map(({ children }) => 1 + depthOf(children)));
}

test("HTML is never more than text", () => {
  for (const text of ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "a <b>b</b>"]) {
    const types = new Set(typesOf(treeOf(text)));
    assert.deepEqual([...types].toSorted(), ["paragraph_open", "text"], text);
  }
});

test("only links that may be opened or asked about are links", () => {
  for (const address of [
    "javascript:alert(1)",
    "data:text/html,a",
    "//evil.example",
    "/a",
    "file:///etc",
  ]) {
    assert.ok(!typesOf(treeOf(`[a](${address})`)).includes("link_open"), address);
  }
  for (const text of ["[a](https://example.org)", "https://example.org", "[a](ssh://nas.local)"]) {
    assert.ok(typesOf(treeOf(text)).includes("link_open"), text);
  }
  assert.ok(!typesOf(treeOf("main.rs, example.org and a@example.org")).includes("link_open"));
});

test("the words stand in one line, and marks alone as they are", () => {
  assert.equal(
    wordsOf("# Disk\n\n- **full** on `db-1`\n- [wiki](https://example.org)"),
    "Disk full on db-1 wiki",
  );
  assert.equal(wordsOf("- **db**: _no space_, see\n- `df`."), "db: no space, see df.");
  assert.equal(wordsOf("---"), "---");
});

test("no text nests deeper than a browser can draw, or takes for ever", () => {
  for (const part of ["> ", "- ", "**a ", "*a_", "[", "![a](", "~~a"]) {
    const started = performance.now();
    const tree = treeOf(part.repeat(Math.ceil(32_768 / part.length)));
    assert.ok(depthOf(tree) <= 30, part);
    assert.ok(performance.now() - started < 20_000, part);
  }
});
