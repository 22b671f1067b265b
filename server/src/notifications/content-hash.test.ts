import assert from "node:assert/strict";
import { test } from "node:test";
import { hashContent } from "./content-hash.ts";
import { parseJsonSend } from "./request.ts";

function hashBody(body: object): string {
  const audience = { kind: "account", accountId: "a1" } as const;
  const { draft, ttlSeconds } = parseJsonSend({ body, query: {}, headers: {} });
  return hashContent({ audience, draft, ttlSeconds });
}

test("content without Markdown keeps the hash of earlier versions, and Markdown changes it", () => {
  const earlierHash = "292d2c64bf2698528c8d1d74b944821d9018c98142754364bb168f964164745d";
  assert.equal(hashBody({ title: "Hello", body: "World" }), earlierHash);
  assert.equal(hashBody({ title: "Hello", body: "World", markdown: false }), earlierHash);
  assert.notEqual(hashBody({ title: "Hello", body: "World", markdown: true }), earlierHash);
});

test("extras change the hash, and their absence keeps the hash of earlier versions", () => {
  const { draft, ttlSeconds } = parseJsonSend({
    body: { title: "Hello", body: "World" },
    query: {},
    headers: {},
  });
  const content = { audience: { kind: "account", accountId: "a1" }, draft, ttlSeconds } as const;
  assert.equal(hashContent({ ...content, extras: null }), hashContent(content));
  const hashes = ['{"priority":4}', '{"priority":5}'].map((extras) =>
    hashContent({ ...content, extras }),
  );
  assert.equal(new Set([hashContent(content), ...hashes]).size, 3);
});

test("content of normal or unknown priority keeps the hash of earlier versions, and another priority changes it", () => {
  const earlierHash = hashBody({ title: "Hello", body: "World" });
  for (const priority of [null, "", "normal", "NORMAL", 3, "urgent"]) {
    assert.equal(hashBody({ title: "Hello", body: "World", priority }), earlierHash);
  }
  const hashes = ["low", "high", "emergency"].map((priority) =>
    hashBody({ title: "Hello", body: "World", priority }),
  );
  assert.equal(new Set([earlierHash, ...hashes]).size, 4);
});
