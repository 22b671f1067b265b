import assert from "node:assert/strict";
import { test } from "node:test";
import { isEmailAddress, toOneLine } from "./mail.ts";

test("a single plain address is an email address", () => {
  const addresses = [
    "ann@example.org",
    "Ann.O'Brien+tag@mail.example.co",
    "_-@a-b.museum",
    `${"a".repeat(64)}@example.org`,
  ];
  for (const address of addresses) assert.equal(isEmailAddress(address), true, address);
});

test("text that is not exactly one plain address is rejected", () => {
  const invalidAddresses = [
    "",
    "ann",
    "@example.org",
    "ann@localhost",
    "ann@example.org,ben@example.org",
    "ann@example.org ben@example.org",
    "ann@example.org\r\nBcc: ben@example.org",
    "ann@example.org\n",
    " ann@example.org",
    "Ann <ann@example.org>",
    '"ann ben"@example.org',
    '"ann@evil.example"@example.org',
    "ann(comment)@example.org",
    "ann@evil.example@example.org",
    "ann@[127.0.0.1]",
    "ann@127.0.0.1",
    "ann..ben@example.org",
    ".ann@example.org",
    "ann.@example.org",
    "ann@-example.org",
    "ann@example..org",
    "änn@example.org",
    "ann@exämple.org",
    `${"a".repeat(65)}@example.org`,
    `ann@${"a.".repeat(125)}org`,
  ];
  for (const text of invalidAddresses) assert.equal(isEmailAddress(text), false, text);
});

test("a very long text is rejected quickly", { timeout: 1_000 }, () => {
  assert.equal(isEmailAddress("'".repeat(1_000_000)), false);
  assert.equal(isEmailAddress("a.".repeat(120)), false);
});

test("a subject stays on one line", () => {
  assert.equal(
    toOneLine("Hello\r\nBcc: ben@example.org\u0000\u2028!"),
    "Hello Bcc: ben@example.org !",
  );
});
