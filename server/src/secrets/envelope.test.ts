import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { DamagedSealError, keyIdOf, openSecret, sealSecret } from "./envelope.ts";
import { MissingKeyError, type KeyRing } from "./key-ring.ts";
import { newMasterKeyText, parseMasterKey, type MasterKey } from "./master-key.ts";

const PLACE = { table: "shared_secret", row: "session", column: "value" };
const TEXT = "what a server signs with";

function ringOf(...all: readonly MasterKey[]): KeyRing {
  return { current: all[0] ?? null, all };
}

function newKey(): MasterKey {
  return parseMasterKey(newMasterKeyText());
}

test("a secret opens at its place with its master key, and is never sealed twice alike", () => {
  const key = newKey();
  const stored = sealSecret(key, { text: TEXT, place: PLACE });
  assert.equal(openSecret(ringOf(newKey(), key), { stored, place: PLACE }), TEXT);
  assert.equal(keyIdOf(stored), key.id);
  assert.ok(!stored.includes(TEXT));
  const again = sealSecret(key, { text: TEXT, place: PLACE });
  for (const field of ["key", "value"]) {
    assert.notEqual(JSON.parse(again)[field], JSON.parse(stored)[field]);
  }
});

test("a secret that was moved to another table, row or column does not open", () => {
  const key = newKey();
  const stored = sealSecret(key, { text: TEXT, place: PLACE });
  for (const moved of [{ table: "setting" }, { row: "vapid" }, { column: "name" }]) {
    const place = { ...PLACE, ...moved };
    assert.throws(() => openSecret(ringOf(key), { stored, place }), DamagedSealError);
  }
});

test("a secret of which any part was changed, or came from another, does not open", () => {
  const key = newKey();
  const stored = JSON.parse(sealSecret(key, { text: TEXT, place: PLACE }));
  const other = JSON.parse(sealSecret(key, { text: TEXT, place: PLACE }));
  const changes = [
    { key: other.key },
    { value: other.value },
    { value: stored.value.slice(0, -4) },
    { value: "" },
    { key: "" },
    { sealed: 2 },
  ];
  for (const change of changes) {
    const changed = JSON.stringify({ ...stored, ...change });
    assert.throws(
      () => openSecret(ringOf(key), { stored: changed, place: PLACE }),
      DamagedSealError,
    );
  }
});

test("a master key that is not here is named by its id, with the setting to give it", () => {
  const [key, other] = [newKey(), newKey()];
  const stored = sealSecret(key, { text: TEXT, place: PLACE });
  assert.throws(
    () => openSecret(ringOf(other), { stored, place: PLACE }),
    (error) =>
      error instanceof MissingKeyError &&
      error.message.includes(key.id) &&
      error.message.includes(other.id) &&
      error.message.includes("TOCSIN_MASTER_KEY"),
  );
});

test("what is not sealed is returned as it is, in whatever form", () => {
  for (const stored of [
    "",
    "a secret",
    "{",
    '{"publicKey":"a","privateKey":"b"}',
    '{"sealed":1}',
  ]) {
    assert.equal(openSecret(ringOf(), { stored, place: PLACE }), stored);
    assert.equal(keyIdOf(stored), null);
  }
});

test("a master key is 64 hexadecimal digits, and shows nothing where it is printed", () => {
  const text = newMasterKeyText();
  const key = parseMasterKey(text);
  assert.deepEqual(parseMasterKey(text.toUpperCase()).id, key.id);
  assert.match(key.id, /^[0-9a-f]{8}$/);
  assert.ok(!text.includes(key.id));
  for (const bytes of [text, Buffer.from(text, "hex").toString("base64")]) {
    assert.ok(!`${inspect(key, { depth: null })}${JSON.stringify(key)}`.includes(bytes));
  }
  for (const wrong of ["", text.slice(1), `${text}0`, `g${text.slice(1)}`]) {
    assert.throws(
      () => parseMasterKey(wrong),
      (error) => {
        assert.ok(error instanceof Error);
        assert.match(error.message, /64 hexadecimal digits/);
        return wrong === "" || !error.message.includes(wrong);
      },
    );
  }
});
