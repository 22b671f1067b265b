import assert from "node:assert/strict";
import { test } from "node:test";
import webpush from "web-push";
import { generateVapidKeys, parseVapidKeys } from "./vapid-keys.ts";

test("generated keys survive JSON and are taken by the web-push library", () => {
  const keys = generateVapidKeys();
  assert.deepEqual(parseVapidKeys(JSON.parse(JSON.stringify(keys))), keys);
  assert.equal(Buffer.from(keys.publicKey, "base64url").length, 65);
  assert.equal(Buffer.from(keys.privateKey, "base64url").length, 32);
  const { publicKey, privateKey } = keys;
  webpush.setVapidDetails("https://push.example.com", publicKey, privateKey);
});

test("keys made by the web-push library are taken", () => {
  const keys = webpush.generateVAPIDKeys();
  assert.deepEqual(parseVapidKeys(keys), keys);
});

test("parseVapidKeys names what is wrong and never the key", () => {
  const keys = generateVapidKeys();
  const wrong: readonly (readonly [unknown, RegExp])[] = [
    [null, /not an object/u],
    ["text", /not an object/u],
    [{ publicKey: keys.publicKey }, /publicKey and privateKey/u],
    [{ ...keys, privateKey: 7 }, /publicKey and privateKey/u],
    [{ ...keys, privateKey: "short" }, /not 32 bytes/u],
    [{ ...keys, publicKey: generateVapidKeys().publicKey }, /does not belong/u],
  ];
  for (const [value, message] of wrong) {
    assert.throws(
      () => parseVapidKeys(value),
      (error) => {
        assert.ok(error instanceof Error);
        assert.match(error.message, message);
        assert.ok(!error.message.includes(keys.privateKey));
        return true;
      },
    );
  }
});
