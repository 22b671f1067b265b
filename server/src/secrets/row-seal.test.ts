import assert from "node:assert/strict";
import { test } from "node:test";
import { createRowSeal, NO_SEAL } from "./row-seal.ts";

const PLACE = { table: "mail_message", row: "0190", column: "text" };
const TEXT = "https://push.example.org/invitation#token=abc";
const seal = createRowSeal({ secret: "a secret of this test", isSealing: true });

test("a sealed value opens only in its own row and column, on the same server", () => {
  const stored = seal.close(TEXT, PLACE);
  assert.equal(seal.open(stored, PLACE), TEXT);
  assert.ok(!stored.includes("token"));
  for (const moved of [{ table: "device" }, { row: "0191" }, { column: "link" }]) {
    assert.equal(seal.open(stored, { ...PLACE, ...moved }), null);
  }
  assert.equal(createRowSeal({ secret: "another", isSealing: true }).open(stored, PLACE), null);
  const changed = stored.at(-5) === "A" ? "B" : "A";
  assert.equal(seal.open(`${stored.slice(0, -5)}${changed}${stored.slice(-4)}`, PLACE), null);
  assert.equal(NO_SEAL.open(stored, PLACE), null);
});

test("a server that does not seal stores plain text and still opens sealed values", () => {
  const unsealing = createRowSeal({ secret: "a secret of this test", isSealing: false });
  assert.equal(unsealing.close(TEXT, PLACE), TEXT);
  assert.equal(seal.open(TEXT, PLACE), TEXT);
  assert.equal(unsealing.open(seal.close(TEXT, PLACE), PLACE), TEXT);
  assert.equal(NO_SEAL.close(TEXT, PLACE), TEXT);
});
