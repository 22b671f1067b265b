import assert from "node:assert/strict";
import { test } from "node:test";
import { createPurposeSeal } from "./purpose-seal.ts";

const SECRET = "a secret of this test, long enough to seal";

test("a sealed string opens only for its owner, purpose and secret", () => {
  const seal = createPurposeSeal(SECRET, "two-factor");
  const sealed = seal.close("GEZDGNBV", "ann");
  assert.equal(seal.open(sealed, "ann"), "GEZDGNBV");
  assert.ok(!Buffer.from(sealed, "base64url").includes("GEZDGNBV"));
  assert.notEqual(seal.close("GEZDGNBV", "ann"), sealed);
  assert.equal(seal.open(sealed, "ben"), null);
  assert.equal(createPurposeSeal(SECRET, "other").open(sealed, "ann"), null);
  assert.equal(createPurposeSeal(`${SECRET}!`, "two-factor").open(sealed, "ann"), null);
  const changedBytes = Buffer.from(sealed, "base64url");
  changedBytes[changedBytes.length - 1] = (changedBytes.at(-1) ?? 0) ^ 1;
  assert.equal(seal.open(changedBytes.toString("base64url"), "ann"), null);
  assert.equal(seal.open(sealed.slice(0, 20), "ann"), null);
});
