import assert from "node:assert/strict";
import { test } from "node:test";
import { findPermissionSettingKind } from "./permission-setting.ts";

test("the kind of permission setting depends on the browser, or on the system of a phone", () => {
  const webkit = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15";
  const chrome = "Chrome/156.0.0.0 Safari/537.36";
  const kindsByUserAgent = {
    "Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0": "firefox",
    "Mozilla/5.0 (Android 16; Mobile; rv:153.0) Gecko/153.0 Firefox/153.0": "android",
    [`Mozilla/5.0 (Linux; Android 10; K) ${chrome}`]: "android",
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Edg/156.0`]: "chromium",
    [`${webkit} Version/26.0 Safari/605.1.15`]: "safari",
    "": "other",
  };
  for (const [userAgent, kind] of Object.entries(kindsByUserAgent)) {
    assert.equal(findPermissionSettingKind(userAgent, { isAppleMobile: false }), kind, userAgent);
  }
  assert.equal(findPermissionSettingKind(webkit, { isAppleMobile: true }), "ios");
});
