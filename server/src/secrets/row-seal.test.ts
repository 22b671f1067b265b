import assert from "node:assert/strict";
import { test } from "node:test";
import { createRowSeal, NO_SEAL } from "./row-seal.ts";

const LOCATION = { table: "mail_message", row: "0190", column: "text" };
const TEXT = "https://push.example.org/invitation#token=abc";
const seal = createRowSeal({ secret: "a secret of this test", isSealing: true });

test("a sealed value opens only unchanged, in its own table, row and column, on the same server", () => {
  const stored = seal.close(TEXT, LOCATION);
  assert.equal(seal.open(stored, LOCATION), TEXT);
  assert.ok(!stored.includes("token"));
  for (const moved of [{ table: "device" }, { row: "0191" }, { column: "link" }]) {
    assert.equal(seal.open(stored, { ...LOCATION, ...moved }), null);
  }
  assert.equal(createRowSeal({ secret: "another", isSealing: true }).open(stored, LOCATION), null);
  const changedCharacter = stored.at(-5) === "A" ? "B" : "A";
  assert.equal(
    seal.open(`${stored.slice(0, -5)}${changedCharacter}${stored.slice(-4)}`, LOCATION),
    null,
  );
  assert.equal(NO_SEAL.open(stored, LOCATION), null);
});

test("a server that does not seal stores plain text and still opens sealed values", () => {
  const withoutSealing = createRowSeal({ secret: "a secret of this test", isSealing: false });
  assert.equal(withoutSealing.close(TEXT, LOCATION), TEXT);
  assert.equal(seal.open(TEXT, LOCATION), TEXT);
  assert.equal(withoutSealing.open(seal.close(TEXT, LOCATION), LOCATION), TEXT);
  assert.equal(NO_SEAL.close(TEXT, LOCATION), TEXT);
});
