import assert from "node:assert/strict";
import { test } from "node:test";
import { tokenIn } from "./link-token.ts";

test("the secret of a link is found wherever links carry it", () => {
  const inAddress = (url: string) => tokenIn(new URL(url, "https://push.example.org"));
  assert.equal(inAddress("/add#token=a-_B"), "a-_B");
  assert.equal(inAddress("/welcome?pair=a-_B"), "a-_B");
  assert.equal(inAddress("/verify?token=a-_B"), "");
  assert.equal(inAddress("/log?next=x#main"), "");
});
