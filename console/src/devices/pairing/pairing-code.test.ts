import assert from "node:assert/strict";
import { test } from "node:test";
import { formatCountdown, formatPairingCode, parsePairingToken } from "./pairing-code.ts";

test("a code is formatted in two halves", () => {
  assert.equal(formatPairingCode("ABCDEFGHJK"), "ABCDE-FGHJK");
});

test("a countdown stops at zero", () => {
  assert.equal(formatCountdown(600_000), "10:00");
  assert.equal(formatCountdown(544_001), "9:05");
  assert.equal(formatCountdown(1), "0:01");
  assert.equal(formatCountdown(-5_000), "0:00");
});

test("the token of a link is in its fragment, and is empty without one", () => {
  assert.equal(parsePairingToken("https://push.example.org/add#token=a-_B"), "a-_B");
  assert.equal(parsePairingToken("https://push.example.org/add"), "");
});
