import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import {
  DamagedSealError,
  isSealedWith,
  getMasterKeyId,
  openSecret,
  sealSecret,
} from "./envelope.ts";
import { MissingKeyError, type KeyRing } from "./key-ring.ts";
import { generateMasterKeyText, parseMasterKey, type MasterKey } from "./master-key.ts";

const LOCATION = { table: "shared_secret", row: "session", column: "value" };
const TEXT = "what a server signs with";

/** Sealed by an earlier version: its master key wrapped a separate key for each secret. */
const WRAPPED = {
  masterKey: "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f",
  stored:
    '{"sealed":1,"kid":"ba7599d9","key":"G5VO0J-rsidP8HzZx2AADD8gGfP0tP0I-G58fhoYyudtrVkCHBQALk6QEft95xNRc65UA08MTPXycG2G","value":"xXw1uB9LcthnUdyjWj7_Hm_rIuhE9UcxxNtLB-6pxSbmB8bIvbTZl9o4avI6WpJMIHVPuw"}',
};

function createRing(...all: readonly MasterKey[]): KeyRing {
  return { current: all[0] ?? null, all };
}

function generateKey(): MasterKey {
  return parseMasterKey(generateMasterKeyText());
}

test("a secret opens in its column with its master key, and no two sealings are equal", () => {
  const key = generateKey();
  const stored = sealSecret(key, { text: TEXT, location: LOCATION });
  assert.equal(openSecret(createRing(generateKey(), key), { stored, location: LOCATION }), TEXT);
  assert.equal(getMasterKeyId(stored), key.id);
  assert.ok(!stored.includes(TEXT));
  const resealedSecret = sealSecret(key, { text: TEXT, location: LOCATION });
  assert.notEqual(JSON.parse(resealedSecret).value, JSON.parse(stored).value);
});

test("an earlier version recognizes a sealed secret as sealed", () => {
  const fields = JSON.parse(sealSecret(generateKey(), { text: TEXT, location: LOCATION }));
  const types = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value]),
  );
  // The earlier version takes an object without one of these fields for an unsealed secret.
  assert.deepEqual(types, { sealed: "number", kid: "string", key: "string", value: "string" });
  assert.notEqual(fields.sealed, 1);
});

test("a secret that was moved to another table, row or column does not open", () => {
  const key = generateKey();
  const stored = sealSecret(key, { text: TEXT, location: LOCATION });
  for (const moved of [{ table: "setting" }, { row: "vapid" }, { column: "name" }]) {
    const location = { ...LOCATION, ...moved };
    assert.throws(() => openSecret(createRing(key), { stored, location }), DamagedSealError);
  }
});

test("a secret does not open if a part was changed or copied from another secret", () => {
  const key = generateKey();
  const stored = JSON.parse(sealSecret(key, { text: TEXT, location: LOCATION }));
  const otherEnvelope = JSON.parse(sealSecret(key, { text: TEXT, location: LOCATION }));
  const changes = [
    { value: `${otherEnvelope.value.slice(0, 40)}${stored.value.slice(40)}` },
    { value: stored.value.slice(0, -4) },
    { value: "" },
    { sealed: 1 },
    { sealed: 1, key: otherEnvelope.value },
    { sealed: 3 },
  ];
  for (const change of changes) {
    const changedSecret = JSON.stringify({ ...stored, ...change });
    assert.throws(
      () => openSecret(createRing(key), { stored: changedSecret, location: LOCATION }),
      DamagedSealError,
    );
  }
});

test("a secret sealed by an earlier version opens and is due for resealing", () => {
  const key = parseMasterKey(WRAPPED.masterKey);
  const { stored } = WRAPPED;
  assert.equal(openSecret(createRing(generateKey(), key), { stored, location: LOCATION }), TEXT);
  assert.deepEqual([getMasterKeyId(stored), isSealedWith(key, stored)], [key.id, false]);
  const resealedSecret = sealSecret(key, { text: TEXT, location: LOCATION });
  assert.deepEqual(
    [isSealedWith(key, resealedSecret), isSealedWith(generateKey(), resealedSecret)],
    [true, false],
  );
  assert.throws(
    () => openSecret(createRing(generateKey()), { stored, location: LOCATION }),
    (error) => error instanceof MissingKeyError && error.keyId === key.id,
  );
  const { key: wrapped, value } = JSON.parse(stored);
  for (const change of [
    { key: wrapped.slice(0, -4) },
    { key: "" },
    { key: value },
    { value: wrapped },
    { sealed: 2 },
  ]) {
    const changedSecret = JSON.stringify({ ...JSON.parse(stored), ...change });
    assert.throws(
      () => openSecret(createRing(key), { stored: changedSecret, location: LOCATION }),
      DamagedSealError,
    );
  }
  const location = { ...LOCATION, row: "vapid" };
  assert.throws(() => openSecret(createRing(key), { stored, location }), DamagedSealError);
});

test("the error for a missing master key names its id and the setting", () => {
  const key = generateKey();
  const otherKey = generateKey();
  const stored = sealSecret(key, { text: TEXT, location: LOCATION });
  assert.throws(
    () => openSecret(createRing(otherKey), { stored, location: LOCATION }),
    (error) =>
      error instanceof MissingKeyError &&
      error.message.includes(key.id) &&
      error.message.includes(otherKey.id) &&
      error.message.includes("TOCSIN_MASTER_KEY"),
  );
});

test("an unsealed secret is returned unchanged, whatever its format", () => {
  for (const stored of [
    "",
    "a secret",
    "{",
    '{"publicKey":"a","privateKey":"b"}',
    '{"sealed":1}',
  ]) {
    assert.equal(openSecret(createRing(), { stored, location: LOCATION }), stored);
    assert.equal(getMasterKeyId(stored), null);
  }
});

test("a master key is 64 hexadecimal digits and is never printed", () => {
  const text = generateMasterKeyText();
  const key = parseMasterKey(text);
  assert.deepEqual(parseMasterKey(text.toUpperCase()).id, key.id);
  assert.match(key.id, /^[0-9a-f]{8}$/);
  assert.ok(!text.includes(key.id));
  for (const bytes of [text, Buffer.from(text, "hex").toString("base64")]) {
    assert.ok(!`${inspect(key, { depth: null })}${JSON.stringify(key)}`.includes(bytes));
  }
  for (const invalidText of ["", text.slice(1), `${text}0`, `g${text.slice(1)}`]) {
    assert.throws(
      () => parseMasterKey(invalidText),
      (error) => {
        assert.ok(error instanceof Error);
        assert.match(error.message, /64 hexadecimal digits/);
        return invalidText === "" || !error.message.includes(invalidText);
      },
    );
  }
});
