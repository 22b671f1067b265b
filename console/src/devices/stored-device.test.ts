import assert from "node:assert/strict";
import { test } from "node:test";
import { parseStoredDevice } from "./stored-device.ts";

test("a stored device is parsed, and any other value is null", () => {
  const device = { accountId: "a", deviceId: "d", endpoint: "https://push.example.org/1" };
  assert.deepEqual(parseStoredDevice(JSON.stringify(device)), device);
  const invalidTexts = [
    null,
    "",
    "{",
    "null",
    "7",
    "{}",
    JSON.stringify({ ...device, endpoint: 1 }),
  ];
  for (const text of invalidTexts) assert.equal(parseStoredDevice(text), null, String(text));
});
