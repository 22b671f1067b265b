import assert from "node:assert/strict";
import { test } from "node:test";
import { parseLinkToken } from "./link-token.ts";

test("a link's token is read from its fragment or its `pair` parameter", () => {
  const parse = (url: string) => parseLinkToken(new URL(url, "https://push.example.org"));
  assert.equal(parse("/add#token=a-_B"), "a-_B");
  assert.equal(parse("/welcome?pair=a-_B"), "a-_B");
  assert.equal(parse("/verify?token=a-_B"), "");
  assert.equal(parse("/log?next=x#main"), "");
});
