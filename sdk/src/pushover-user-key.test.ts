import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { formatPushoverUserKey, parsePushoverUserKey } from "./pushover-user-key.ts";

const ID = "01998ac5-7c00-7abc-8def-0123456789ab";

test("a user key has 30 letters and digits, and names its recipient", () => {
  for (const id of [
    ID,
    "00000000-0000-0000-0000-000000000000",
    "ffffffff-ffff-ffff-ffff-ffffffffffff",
    ...Array.from({ length: 500 }, () => randomUUID()),
  ]) {
    for (const kind of ["account", "group"] as const) {
      const key = formatPushoverUserKey({ kind, id });
      assert.match(key, kind === "account" ? /^u[0-9A-Za-z]{29}$/ : /^g[0-9A-Za-z]{29}$/);
      assert.deepEqual(parsePushoverUserKey(key), { kind, id });
    }
  }
});

test("the user key of an id never changes, because programs have stored it", () => {
  const key = formatPushoverUserKey({ kind: "account", id: ID });
  assert.equal(key, "u00000000319zqoSRO8O3rtEmjZFJT");
});

test("other texts name nobody", () => {
  const key = formatPushoverUserKey({ kind: "account", id: ID });
  for (const text of [
    "",
    ID,
    key.slice(1),
    `${key}0`,
    `a${key.slice(1)}`,
    `U${key.slice(1)}`,
    `${key.slice(0, -1)}-`,
    ` ${key}`,
    `${key}\n`,
    `u${"z".repeat(29)}`,
  ]) {
    assert.equal(parsePushoverUserKey(text), null, text);
  }
});
