import assert from "node:assert/strict";
import { test } from "node:test";
import { createPurposeSeal } from "./purpose-seal.ts";

const SECRET = "a secret of this test, long enough to seal";

test("a sealed text opens only for its owner, purpose and secret, and only unchanged", () => {
  const seal = createPurposeSeal(SECRET, "two-factor");
  const sealed = seal.close("GEZDGNBV", "ann");
  assert.equal(seal.open(sealed, "ann"), "GEZDGNBV");
  assert.ok(!Buffer.from(sealed, "base64url").includes("GEZDGNBV"));
  assert.notEqual(seal.close("GEZDGNBV", "ann"), sealed);
  assert.equal(seal.open(sealed, "ben"), null);
  assert.equal(createPurposeSeal(SECRET, "other").open(sealed, "ann"), null);
  assert.equal(createPurposeSeal(`${SECRET}!`, "two-factor").open(sealed, "ann"), null);
  const changed = Buffer.from(sealed, "base64url");
  changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
  assert.equal(seal.open(changed.toString("base64url"), "ann"), null);
  assert.equal(seal.open(sealed.slice(0, 20), "ann"), null);
});
