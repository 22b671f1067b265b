import assert from "node:assert/strict";
import { test } from "node:test";
import { parseEmails } from "./parse-emails.ts";

test("pasted addresses are found in lists and in the format of mail programs, without duplicates", () => {
  const pastedText =
    "ben@example.org, Eve Adams <eve@example.org>;\nBEN@example.org\tzoe@example.org";
  const emails = ["BEN@example.org", "eve@example.org", "zoe@example.org"];
  assert.deepEqual(parseEmails(pastedText), { emails, unrecognizedWords: [] });
  const quotedText = `"Adams, Eve" <eve@example.org> ben@example.org <zoe@example.org>`;
  const quotedEmails = ["eve@example.org", "ben@example.org", "zoe@example.org"];
  assert.deepEqual(parseEmails(quotedText), { emails: quotedEmails, unrecognizedWords: [] });
});

test("a word that is neither an address nor the name of one is reported as unrecognized", () => {
  const pastedText = "ben, eve(at)example.org\nben@example.org, dan@localhost @example.org\nzoe";
  const unrecognizedWords = ["ben", "eve(at)example.org", "dan@localhost", "@example.org", "zoe"];
  assert.deepEqual(parseEmails(pastedText), { emails: ["ben@example.org"], unrecognizedWords });
  const textWithoutEmails = "Nobody here\nEve Adams <eve>";
  assert.deepEqual(parseEmails(textWithoutEmails), {
    emails: [],
    unrecognizedWords: ["Nobody", "here", "eve"],
  });
  assert.deepEqual(parseEmails(" \n "), { emails: [], unrecognizedWords: [] });
});
