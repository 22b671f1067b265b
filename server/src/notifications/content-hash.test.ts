import assert from "node:assert/strict";
import { test } from "node:test";
import { contentHashOf } from "./content-hash.ts";
import { parseJsonOrder } from "./request.ts";

function hashOf(body: object): string {
  const audience = { kind: "account", accountId: "a1" } as const;
  const { draft, ttlSeconds } = parseJsonOrder({ body, query: {}, headers: {} });
  return contentHashOf({ audience, draft, ttlSeconds });
}

test("a plain text keeps the hash of versions without Markdown", () => {
  const earlierHash = "292d2c64bf2698528c8d1d74b944821d9018c98142754364bb168f964164745d";
  assert.equal(hashOf({ title: "Hello", body: "World" }), earlierHash);
  assert.equal(hashOf({ title: "Hello", body: "World", markdown: false }), earlierHash);
  assert.notEqual(hashOf({ title: "Hello", body: "World", markdown: true }), earlierHash);
});
