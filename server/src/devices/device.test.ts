import assert from "node:assert/strict";
import { test } from "node:test";
import { parseName, requireBatchSize, requireReachablePlatform } from "./device.ts";

test("a name is cleaned and has 1 to 80 characters", () => {
  assert.equal(parseName("  Ann’s\u0000 phone\n"), "Ann’s phone");
  assert.equal(parseName("\ud800"), "\ufffd");
  assert.equal(parseName("x".repeat(80)).length, 80);
  for (const invalid of ["", " \t\n", "\u0000", "x".repeat(81)]) {
    assert.throws(() => parseName(invalid), { code: "invalid_field", field: "name" });
  }
});

test("a platform accepts only the providers that reach its apps", () => {
  const pairs = [
    ["ios", "apns"],
    ["android", "fcm"],
    ["web", "webpush"],
    ["ios", "webpush"],
    ["android", "webpush"],
  ] as const;
  for (const [platform, provider] of pairs) requireReachablePlatform(platform, provider);
  const unsupportedPairs = [
    ["android", "apns"],
    ["web", "apns"],
    ["ios", "fcm"],
    ["web", "fcm"],
  ] as const;
  for (const [platform, provider] of unsupportedPairs) {
    assert.throws(() => requireReachablePlatform(platform, provider), { field: "platform" });
  }
});

test("a batch of more than 500 items is refused", () => {
  requireBatchSize(Array.from({ length: 500 }));
  assert.throws(() => requireBatchSize(Array.from({ length: 501 })), RangeError);
});
