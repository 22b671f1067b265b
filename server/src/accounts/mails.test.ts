import assert from "node:assert/strict";
import test from "node:test";
import { createEmailChangedMail, createPasskeyAddedMail, createVerificationMail } from "./mails.ts";

const BASE_URL = "https://push.example.org";
const EMAIL = "ann@example.org";

test("the verification email says how long its link is valid", () => {
  const { text } = createVerificationMail(BASE_URL, { email: EMAIL, token: "t" });
  assert.match(text, /open this page within 3 days:/);
});

test("a notice advises resetting the password, unless it is to a previous address", () => {
  const { to, text } = createEmailChangedMail(BASE_URL, EMAIL);
  assert.equal(to, EMAIL);
  assert.match(text, /If it was not you:\n\nAsk the administrator/);
  assert.doesNotMatch(text, /Forgot your password/);
  assert.match(createPasskeyAddedMail(BASE_URL, EMAIL).text, /Forgot your password/);
});
