import assert from "node:assert/strict";
import { test } from "node:test";
import { DIALECTS, type Dialect } from "@tocsin/sdk";
import { parseApiKey } from "./api-key.ts";
import { toHint, generateApiKey, parseDialectKey } from "./key-shape.ts";

const KEY = "3f0c9b1e-7a54-4d2c-9f3b-0123456789ab";

test("new keys are unique lower-case version 4 UUIDs", () => {
  const keys = Array.from({ length: 100 }, () => generateApiKey(null));
  assert.equal(new Set(keys).size, 100);
  for (const key of keys) assert.equal(parseApiKey(key), key);
});

test("a key is accepted in any letter case and normalised to lower case", () => {
  assert.equal(parseApiKey(KEY.toUpperCase()), KEY);
});

test("a string that is not a version 4 UUID is not a key", () => {
  const invalidInputs = [
    "",
    "group",
    "<API_KEY>",
    "YOUR_API_KEY",
    KEY.replaceAll("-", ""),
    `{${KEY}}`,
    ` ${KEY}`,
    `${KEY}\n`,
    `${KEY}0`,
    KEY.replace("-4", "-7"),
    KEY.replace("-9", "-c"),
    "00000000-0000-0000-0000-000000000000",
    KEY.replace("0", "０"),
  ];
  for (const text of invalidInputs) assert.equal(parseApiKey(text), null, text);
});

test("the hint of a UUID is its last four characters", () => {
  assert.equal(toHint(KEY, null), "89ab");
});

/** The rules of the strictest client of each API. */
const CLIENT_RULES: Readonly<Record<Dialect, RegExp>> = {
  // Apprise, plugins/ntfy.py.
  ntfy: /^tk_[a-z0-9]{29}$/,
  // containrrr/shoutrrr, pkg/services/gotify/gotify.go; gotify/cli, command/initialize.go.
  gotify: /^A[A-Za-z0-9._-]{14}$/,
  // pushover.net/api.
  pushover: /^a[A-Za-z0-9]{29}$/,
};

test("a thousand new keys of each dialect differ, and its strictest client accepts them", () => {
  for (const dialect of DIALECTS) {
    const keys = Array.from({ length: 1_000 }, () => generateApiKey(dialect));
    assert.equal(new Set(keys).size, 1_000);
    for (const key of keys) {
      assert.match(key, CLIENT_RULES[dialect]);
      assert.equal(parseDialectKey(key, dialect), key);
      assert.equal(parseApiKey(key), null);
    }
  }
});

test("every character of an alphabet occurs at every position", () => {
  const keys = Array.from({ length: 2_000 }, () => generateApiKey("gotify"));
  for (let position = 1; position < 15; position += 1) {
    assert.equal(new Set(keys.map((key) => key[position])).size, 62, `position ${position}`);
  }
});

test("a dialect accepts UUID keys and keys of its own shape, and no others", () => {
  for (const dialect of DIALECTS) {
    assert.equal(parseDialectKey(KEY.toUpperCase(), dialect), KEY);
    for (const other of DIALECTS) {
      const key = generateApiKey(other);
      assert.equal(parseDialectKey(key, dialect), other === dialect ? key : null);
    }
    const key = generateApiKey(dialect);
    for (const text of [
      "",
      key.slice(1),
      `${key}x`,
      ` ${key}`,
      `${key}\n`,
      `${key.slice(0, -1)}ü`,
    ]) {
      assert.equal(parseDialectKey(text, dialect), null, text);
    }
  }
});

test("the hint of a key leaves at least 70 random bits secret", () => {
  assert.equal(toHint("tk_abcdefghijklmnopqrstuvwxyz012", "ntfy"), "z012");
  assert.equal(toHint("Aabcdefghijklmn", "gotify"), "mn");
  assert.ok((14 - 2) * Math.log2(62) > 70);
});
