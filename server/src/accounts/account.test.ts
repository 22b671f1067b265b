import assert from "node:assert/strict";
import test from "node:test";
import { parseEmail, parseName } from "./account.ts";

test("an email address is trimmed and converted to lower case", () => {
  assert.equal(parseEmail(" Ann.Lee+x@Example.ORG\n"), "ann.lee+x@example.org");
});

test("anything but one plain email address is refused", () => {
  const invalidAddresses = [
    "",
    "ann",
    "ann@",
    "@example.org",
    "ann@localhost",
    "ann@example.org,bob@example.org",
    "ann@example.org;bob@example.org",
    "Ann <ann@example.org>",
    '"ann"@example.org',
    "ann@[127.0.0.1]",
    "ann@example.org\r\nBcc: bob@example.org",
    "ann@exa mple.org",
    "ann(comment)@example.org",
    `${"x".repeat(65)}@example.org`,
    `ann@${"x.".repeat(130)}org`,
  ];
  for (const address of invalidAddresses) {
    assert.throws(() => parseEmail(address), { code: "invalid_email", field: "email" }, address);
  }
});

test("a name becomes one line, and is refused without a visible character or above 100 characters", () => {
  assert.equal(parseName("name", " \u202eAnn\r\nBcc:\u2066 ben\ud800 "), "Ann Bcc: ben\ufffd");
  assert.equal(parseName("name", "🦊"), "🦊");
  for (const text of ["", " \n", "\u202e", "\u200b", "x".repeat(101)]) {
    assert.throws(() => parseName("name", text), { code: "invalid_field", field: "name" }, text);
  }
});
