import assert from "node:assert/strict";
import test from "node:test";
import { createPurposeSignature } from "#secrets/purpose-signature.ts";
import { createActToken, openActToken } from "./link-token.ts";

const PERSON = { incidentId: "0191-incident", accountId: "0191-ann", endsAt: 2_000 };

test("a token opens to its person until it expires", () => {
  const signature = createPurposeSignature("secret", "incident link");
  const token = createActToken(signature, PERSON);
  assert.deepEqual(openActToken(signature, { token, now: 1_999 }), PERSON);
  assert.throws(() => openActToken(signature, { token, now: 2_000 }), { code: "expired" });
});

test("a token that was changed, or signed by another server or for another purpose, is refused", () => {
  const signature = createPurposeSignature("secret", "incident link");
  const token = createActToken(signature, PERSON);
  const forgeries = [
    "",
    ".",
    "x",
    "....",
    token.slice(0, -1),
    `${token}A`,
    `${token}=`,
    token.replace("ann", "ben"),
    token.replace("incident", "incidenu"),
    token.replace(/\.[^.]+\.([^.]+)$/, ".zzzzzz.$1"),
    `${token}.${"x".repeat(300)}`,
    createActToken(createPurposeSignature("another", "incident link"), PERSON),
    createActToken(createPurposeSignature("secret", "another purpose"), PERSON),
  ];
  for (const forgery of forgeries) {
    const opening = () => openActToken(signature, { token: forgery, now: 0 });
    assert.throws(opening, { code: "not_found" }, forgery);
  }
});
