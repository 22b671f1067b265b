import assert from "node:assert/strict";
import { test } from "node:test";
import { parseHosts } from "./picture-hosts.ts";

test("stored hosts are parsed, and invalid entries are dropped", () => {
  assert.deepEqual(parseHosts('["a.example","b.example:8080"]'), ["a.example", "b.example:8080"]);
  assert.deepEqual(parseHosts('["a.example",7,null]'), ["a.example"]);
  for (const invalidText of [null, "", "{}", "null", "[", '"a.example"'])
    assert.deepEqual(parseHosts(invalidText), []);
});
