import assert from "node:assert/strict";
import { test } from "node:test";
import { addressesIn } from "./addresses.ts";

test("addresses are found however they were pasted, each once", () => {
  const pasted = "ben@example.org, Eve Adams <eve@example.org>;\nBEN@example.org\tzoe@example.org";
  const emails = ["BEN@example.org", "eve@example.org", "zoe@example.org"];
  assert.deepEqual(addressesIn(pasted), { emails, unknown: [] });
  const quoted = `"Adams, Eve" <eve@example.org> ben@example.org <zoe@example.org>`;
  const others = ["eve@example.org", "ben@example.org", "zoe@example.org"];
  assert.deepEqual(addressesIn(quoted), { emails: others, unknown: [] });
});

test("no word is dropped that is neither an address nor the name before one", () => {
  const pasted = "ben, eve(at)example.org\nben@example.org, dan@localhost @example.org\nzoe";
  const unknown = ["ben", "eve(at)example.org", "dan@localhost", "@example.org", "zoe"];
  assert.deepEqual(addressesIn(pasted), { emails: ["ben@example.org"], unknown });
  const broken = "Nobody here\nEve Adams <eve>";
  assert.deepEqual(addressesIn(broken), { emails: [], unknown: ["Nobody", "here", "eve"] });
  assert.deepEqual(addressesIn(" \n "), { emails: [], unknown: [] });
});
