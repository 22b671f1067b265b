import assert from "node:assert/strict";
import { test } from "node:test";
import { hostsIn } from "./picture-hosts.ts";

test("kept hosts are read as hosts alone", () => {
  assert.deepEqual(hostsIn('["a.example","b.example:8080"]'), ["a.example", "b.example:8080"]);
  assert.deepEqual(hostsIn('["a.example",7,null]'), ["a.example"]);
  for (const odd of [null, "", "{}", "null", "[", '"a.example"'])
    assert.deepEqual(hostsIn(odd), []);
});
