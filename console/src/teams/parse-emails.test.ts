import assert from "node:assert/strict";
import { test } from "node:test";
import { parseEmails } from "./parse-emails.ts";

test("pasted addresses are found in any format, without duplicates", () => {
  const pasted = "ben@example.org, Eve Adams <eve@example.org>;\nBEN@example.org\tzoe@example.org";
  const emails = ["BEN@example.org", "eve@example.org", "zoe@example.org"];
  assert.deepEqual(parseEmails(pasted), { emails, unknown: [] });
  const quoted = `"Adams, Eve" <eve@example.org> ben@example.org <zoe@example.org>`;
  const others = ["eve@example.org", "ben@example.org", "zoe@example.org"];
  assert.deepEqual(parseEmails(quoted), { emails: others, unknown: [] });
});

test("every word is kept that is not an address or the name of one", () => {
  const pasted = "ben, eve(at)example.org\nben@example.org, dan@localhost @example.org\nzoe";
  const unknown = ["ben", "eve(at)example.org", "dan@localhost", "@example.org", "zoe"];
  assert.deepEqual(parseEmails(pasted), { emails: ["ben@example.org"], unknown });
  const broken = "Nobody here\nEve Adams <eve>";
  assert.deepEqual(parseEmails(broken), { emails: [], unknown: ["Nobody", "here", "eve"] });
  assert.deepEqual(parseEmails(" \n "), { emails: [], unknown: [] });
});
