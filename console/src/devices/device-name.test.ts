import assert from "node:assert/strict";
import { test } from "node:test";
import { toOwnerName, formatBrowserName, toProductName } from "./device-name.ts";

const WEBKIT = "AppleWebKit/605.1.15 (KHTML, like Gecko)";
const CHROME = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0";

const NAMES_BY_USER_AGENT: Readonly<Record<string, string>> = {
  "Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0": "Firefox on Linux",
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36`]: "Chrome on Windows",
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36 Edg/156.0.0.0`]:
    "Edge on Windows",
  [`Mozilla/5.0 (Linux; Android 10; K) ${CHROME} Mobile Safari/537.36`]: "Chrome on Android",
  [`Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/29.0 Chrome/136.0.0.0 Mobile Safari/537.36`]:
    "Samsung Internet on Android",
  [`Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) ${WEBKIT} Mobile/15E148`]:
    "Safari on iPhone",
  [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${WEBKIT} Version/26.0 Safari/605.1.15`]:
    "Safari on Mac",
  [`Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) ${WEBKIT} CriOS/140.0 Mobile/15E148 Safari/604.1`]:
    "Chrome on iPad",
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${CHROME} Safari/537.36`]: "Chrome on ChromeOS",
  "": "Browser",
};

test("a browser's name contains the browser and its system, not a browser that it imitates", () => {
  for (const [userAgent, name] of Object.entries(NAMES_BY_USER_AGENT)) {
    assert.equal(formatBrowserName(userAgent), name, userAgent);
  }
});

test("the parts of a device's name are its product and its owner's first name, unless that is too long", () => {
  assert.equal(
    toProductName(
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 Version/18.5 Safari/604.1",
    ),
    "iPhone",
  );
  assert.equal(
    toProductName("Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0"),
    "Firefox on Linux",
  );
  assert.deepEqual(["Bob", " Bob  Miller ", "", "x".repeat(31)].map(toOwnerName), [
    "Bob",
    "Bob",
    "",
    "",
  ]);
});
